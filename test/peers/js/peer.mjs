// The JavaScript SDK's client against a running system with the scripted agent.
//
//   node peer.mjs <base URL> <JSONRPC | HTTP+JSON | GRPC>
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { randomUUID } from "node:crypto";

// require, unlike import, finds packages by NODE_PATH.
const require = createRequire(import.meta.url);
const { ListTasksRequest, ListTasksResponse, Message, Task, SendMessageRequest, StreamResponse } = require("@a2a-js/sdk");
const { ClientFactory, ClientFactoryOptions, ServiceParameters, withA2AExtensions } = require("@a2a-js/sdk/client");
const { GrpcTransportFactory } = require("@a2a-js/sdk/client/grpc");
const { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } = require("@a2a-js/sdk/errors");

const [baseURL, binding] = process.argv.slice(2);
const URI = "https://docs.nylorun.com/a2a/interactions/v1";
const activated = { serviceParameters: ServiceParameters.create(withA2AExtensions(URI)) };

const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  preferredTransports: [binding],
  transports: [...ClientFactoryOptions.default.transports, new GrpcTransportFactory()],
});
const client = await new ClientFactory(options).createFromUrl(baseURL);

const request = (message) =>
  SendMessageRequest.fromJSON({ message: { messageId: randomUUID(), role: "ROLE_USER", ...message } });

// send sends a message, given in the protocol's JSON, and gives the task as JSON.
async function send(message) {
  const result = await client.sendMessage(request(message), activated);
  assert.ok("status" in result, "got a bare message, want a task");
  return Task.toJSON(result);
}

const start = (script, contextId = randomUUID()) => send({ contextId, parts: [{ text: script }] });
const get = async (id) => Task.toJSON(await client.getTask({ tenant: "", id }, activated));
const cancel = async (id) => Task.toJSON(await client.cancelTask({ tenant: "", id, metadata: undefined }, activated));
const text = (message) => message?.parts.map((part) => part.text).join("");
const interactionOf = (task) => task.status.message?.metadata?.[URI];

// answer answers what a task waits for; given is {approved} or {value}.
function answer(task, given) {
  const { interactionId } = interactionOf(task);
  return send({
    messageId: `answer:${interactionId}`,
    taskId: task.id,
    contextId: task.contextId,
    parts: [{ data: given }],
    extensions: [URI],
    metadata: { [URI]: { interactionId, ...given } },
  });
}

// paused starts a script and checks what its task waits for. INT-03 to INT-09
async function paused(script, state, want) {
  const task = await start(script);
  assert.equal(task.status.state, state);
  const { interactionId, ...rest } = interactionOf(task) ?? assert.fail("the status message carries no interaction");
  assert.ok(interactionId.startsWith("eff_"), `interactionId ${interactionId}, want eff_…`);
  assert.deepEqual(rest, want);
  assert.equal(text(task.status.message), want.prompt);
  return task;
}

function completed(task, id, said) {
  assert.equal(task.id, id, "the task goes on under its id");
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.equal(text(task.status.message), said);
}

test("card", async () => { // INT-20, SRV-16
  const card = await client.getAgentCard();
  const bindings = card.supportedInterfaces.map((i) => i.protocolBinding);
  assert.ok(bindings.includes(binding), `card lists ${bindings}, want ${binding}`);
  assert.equal(client.transport.protocolName, binding);
  const extension = card.capabilities.extensions.find((e) => e.uri === URI);
  assert.equal(extension?.required, false, "the card lists the extension, not required");
});

test("send and get", async () => {
  const task = await start("hello there");
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.equal(text(task.artifacts[0]), "hello there");
  const read = await get(task.id);
  assert.equal(read.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(read.artifacts, task.artifacts);
});

test("list by pages", async () => {
  const contextId = randomUUID();
  const made = new Set();
  for (const said of ["one", "two", "three"]) made.add((await start(`say ${said}`, contextId)).id);
  const found = [];
  let pageToken = "";
  do {
    const page = ListTasksResponse.toJSON(
      await client.listTasks(ListTasksRequest.fromJSON({ contextId, pageSize: 2, pageToken }), activated));
    assert.ok(page.tasks.length <= 2, `a page has ${page.tasks.length} tasks, want at most 2`);
    found.push(...page.tasks.map((task) => task.id));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken);
  assert.equal(found.length, 3, "each task is listed once");
  assert.deepEqual(new Set(found), made);
});

// events are a stream's events in a word each, and its task; onTask is called once that is known.
async function events(stream, onTask = () => {}) {
  const words = [];
  let task;
  for await (const event of stream) {
    const json = StreamResponse.toJSON(event);
    if (json.task) onTask((task = json.task));
    words.push(json.statusUpdate?.status.state.replace("TASK_STATE_", "") ?? Object.keys(json)[0]);
  }
  return { words, task };
}

test("stream", async () => { // SRV-10, R-22
  const script = "say one; piece a b; artifact text x; say done";
  const { words } = await events(client.sendMessageStream(request({ parts: [{ text: script }] }), activated));
  assert.deepEqual(words, ["task", "WORKING", "WORKING", "artifactUpdate", "artifactUpdate", "artifactUpdate", "COMPLETED"]);
});

test("stream to a pause, and subscribe to the rest", async () => { // R-22, INT-04
  const asked = await events(client.sendMessageStream(request({ parts: [{ text: "ask Which?; say done" }] }), activated));
  assert.deepEqual(asked.words, ["task", "WORKING", "INPUT_REQUIRED"]);
  let answered;
  const rest = await events(client.resubscribeTask({ tenant: "", id: asked.task.id }, activated), (task) => {
    assert.equal(interactionOf(task)?.prompt, "Which?");
    answered = answer(task, { value: "this" });
  });
  assert.deepEqual(rest.words, ["task", "WORKING", "WORKING", "COMPLETED"]);
  completed(await answered, asked.task.id, "done");
});

test("subscribe to a finished task", async () => { // R-22, ERR-01
  const { id } = await start("say done");
  await assert.rejects(events(client.resubscribeTask({ tenant: "", id }, activated)), UnsupportedOperationError);
});

test("a message without a task", async () => {
  const said = await client.sendMessage(request({ parts: [{ text: "message hi" }] }), activated);
  assert.equal(text(Message.toJSON(said)), "hi");
});

test("cancel a paused task", async () => {
  const task = await start("ask Which branch?");
  assert.equal((await cancel(task.id)).status.state, "TASK_STATE_CANCELED");
  assert.equal((await get(task.id)).status.state, "TASK_STATE_CANCELED");
});

const approval = {
  kind: "approval",
  prompt: "Approve github / create_pull_request?",
  detail: { server: "github", tool: "create_pull_request" },
};
const hold = "approve github/create_pull_request";

test("approve", async () => { // INT-13, INT-19
  const task = await paused(hold, "TASK_STATE_AUTH_REQUIRED", approval);
  completed(await answer(task, { approved: true }), task.id, "Called github/create_pull_request");
});

test("deny", async () => { // INT-14
  const task = await paused(hold, "TASK_STATE_AUTH_REQUIRED", approval);
  completed(await answer(task, { approved: false }), task.id, "tool.denied: github/create_pull_request");
});

test("text never approves", async () => { // INT-11
  const task = await paused(hold, "TASK_STATE_AUTH_REQUIRED", approval);
  const yes = send({ taskId: task.id, contextId: task.contextId, parts: [{ text: "yes" }] });
  await assert.rejects(yes, UnsupportedOperationError);
  assert.deepEqual((await get(task.id)).status, task.status, "the task stays as it was");
});

test("answer a question", async () => { // INT-15
  const task = await paused("ask Which branch?", "TASK_STATE_INPUT_REQUIRED", { kind: "question", prompt: "Which branch?" });
  completed(await answer(task, { value: "main" }), task.id, 'Answered: "main"');
});

test("answer a question by text", async () => { // INT-12
  const task = await start("ask Which branch?");
  const done = await send({ taskId: task.id, contextId: task.contextId, parts: [{ text: "main" }] });
  completed(done, task.id, 'Answered: "main"');
});

test("connect an app", async () => { // INT-16, CONN-04, CONN-06
  const want = { kind: "connection", prompt: "Connect github: to open the request",
    detail: { app: "github", reason: "to open the request" } };
  const task = await paused("connect github: to open the request", "TASK_STATE_AUTH_REQUIRED", want);
  completed(await answer(task, { value: { connected: true } }), task.id, "Connected: github");
});

test("an answer's retry answers once", async () => { // ANS-08
  const task = await paused("ask First?; ask Second?", "TASK_STATE_INPUT_REQUIRED", { kind: "question", prompt: "First?" });
  const second = await answer(task, { value: 1 });
  assert.equal(interactionOf(second)?.prompt, "Second?");
  const again = await answer(task, { value: 1 });
  assert.deepEqual(interactionOf(again), interactionOf(second));
});

test("errors", async () => { // ERR-01
  await assert.rejects(get("t1.unknown"), TaskNotFoundError);
  const task = await start("say done");
  await assert.rejects(cancel(task.id), TaskNotCancelableError);
});
