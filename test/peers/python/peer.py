"""The Python SDK's client against a running system with the scripted agent.

python peer.py <base URL> <JSONRPC | HTTP+JSON | GRPC>
"""

import asyncio
import sys
import unittest
import uuid

import grpc
from a2a.client import ClientConfig, ClientFactory
from a2a.client.client import ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError
from google.protobuf.json_format import MessageToDict, ParseDict

BASE_URL, BINDING = sys.argv[1:3]
URI = "https://docs.nylorun.com/a2a/interactions/v1"
HOLD = "approve github/create_pull_request"
APPROVAL = {
    "kind": "approval",
    "prompt": "Approve github / create_pull_request?",
    "detail": {"server": "github", "tool": "create_pull_request"},
}


def activated():
    return ClientCallContext(service_parameters=ServiceParametersFactory.create([with_a2a_extensions([URI])]))


def text(message):
    return "".join(part.get("text", "") for part in message["parts"])


def interaction(task):
    return task["status"].get("message", {}).get("metadata", {}).get(URI)


def request(message):
    message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", **message}
    return ParseDict({"message": message}, SendMessageRequest())


def word(event):
    """A stream's event in a word."""
    if event.HasField("status_update"):
        return TaskState.Name(event.status_update.status.state).removeprefix("TASK_STATE_")
    return event.WhichOneof("payload")


class Peer(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.client, self.streaming = await self.connect(streaming=False), await self.connect(streaming=True)

    async def connect(self, streaming):
        config = ClientConfig(
            streaming=streaming,
            supported_protocol_bindings=[BINDING],
            grpc_channel_factory=grpc.aio.insecure_channel,
        )
        client = await ClientFactory(config).create_from_url(BASE_URL)
        self.addAsyncCleanup(client.close)
        return client

    async def send(self, **message):
        """Sends a message, given in the protocol's JSON, and gives the task as JSON."""
        events = [event async for event in self.client.send_message(request(message), context=activated())]
        self.assertEqual(len(events), 1, "a blocking send gives one answer")
        self.assertTrue(events[0].HasField("task"), "got a bare message, want a task")
        return MessageToDict(events[0].task)

    async def start(self, script, context_id=None):
        return await self.send(contextId=context_id or str(uuid.uuid4()), parts=[{"text": script}])

    async def get(self, task_id):
        return MessageToDict(await self.client.get_task(GetTaskRequest(id=task_id), context=activated()))

    async def cancel(self, task_id):
        return MessageToDict(await self.client.cancel_task(CancelTaskRequest(id=task_id), context=activated()))

    async def answer(self, task, **given):
        """Answers what a task waits for, by approved= or value=."""
        interaction_id = interaction(task)["interactionId"]
        return await self.send(
            messageId=f"answer:{interaction_id}",
            taskId=task["id"],
            contextId=task["contextId"],
            parts=[{"data": given}],
            extensions=[URI],
            metadata={URI: {"interactionId": interaction_id, **given}},
        )

    async def paused(self, script, state, want):
        """Starts a script and checks what its task waits for. INT-03 to INT-09"""
        task = await self.start(script)
        self.assertEqual(task["status"]["state"], state)
        self.assertIsNotNone(interaction(task), "the status message carries no interaction")
        got = dict(interaction(task))
        self.assertRegex(got.pop("interactionId"), "^eff_")
        self.assertEqual(got, want)
        self.assertEqual(text(task["status"]["message"]), want["prompt"])
        return task

    def assert_completed(self, task, task_id, said):
        self.assertEqual(task["id"], task_id, "the task goes on under its id")
        self.assertEqual(task["status"]["state"], "TASK_STATE_COMPLETED")
        self.assertEqual(text(task["status"]["message"]), said)

    async def test_send_and_get(self):
        task = await self.start("hello there")
        self.assertEqual(task["status"]["state"], "TASK_STATE_COMPLETED")
        self.assertEqual(text(task["artifacts"][0]), "hello there")
        read = await self.get(task["id"])
        self.assertEqual(read["status"]["state"], "TASK_STATE_COMPLETED")
        self.assertEqual(read["artifacts"], task["artifacts"])

    async def test_list_by_pages(self):
        context_id = str(uuid.uuid4())
        made = {(await self.start(f"say {n}", context_id))["id"] for n in range(3)}
        found, token = [], ""
        while True:
            request = ListTasksRequest(context_id=context_id, page_size=2, page_token=token)
            page = await self.client.list_tasks(request, context=activated())
            self.assertLessEqual(len(page.tasks), 2)
            found += [task.id for task in page.tasks]
            token = page.next_page_token
            if not token:
                break
        self.assertEqual(len(found), 3, "each task is listed once")
        self.assertEqual(set(found), made)

    async def stream(self, script):
        message = {"contextId": str(uuid.uuid4()), "parts": [{"text": script}]}
        return [event async for event in self.streaming.send_message(request(message), context=activated())]

    def subscribe(self, task_id):
        return self.streaming.subscribe(SubscribeToTaskRequest(id=task_id), context=activated())

    async def test_stream(self):  # SRV-10, R-22
        events = await self.stream("say one; piece a b; artifact text x; say done")
        want = ["task", "WORKING", "WORKING", "artifact_update", "artifact_update", "artifact_update", "COMPLETED"]
        self.assertEqual([word(event) for event in events], want)

    async def test_stream_to_a_pause_and_subscribe_to_the_rest(self):  # R-22, INT-04
        asked = await self.stream("ask Which?; say done")
        self.assertEqual([word(event) for event in asked], ["task", "WORKING", "INPUT_REQUIRED"])
        words, answered = [], None
        async for event in self.subscribe(asked[0].task.id):
            words.append(word(event))
            if event.HasField("task"):
                task = MessageToDict(event.task)
                self.assertEqual(interaction(task)["prompt"], "Which?")
                answered = asyncio.create_task(self.answer(task, value="this"))
        self.assertEqual(words, ["task", "WORKING", "WORKING", "COMPLETED"])
        self.assert_completed(await answered, asked[0].task.id, "done")

    async def test_subscribe_to_a_finished_task(self):  # R-22, ERR-01
        task = await self.start("say done")
        with self.assertRaises(UnsupportedOperationError):
            async for event in self.subscribe(task["id"]):
                self.fail(f"got {event}")

    async def test_a_message_without_a_task(self):
        sent = self.client.send_message(request({"parts": [{"text": "message hi"}]}), context=activated())
        events = [event async for event in sent]
        self.assertEqual([text(MessageToDict(event.message)) for event in events], ["hi"])

    async def test_cancel_a_paused_task(self):
        task = await self.start("ask Which branch?")
        self.assertEqual((await self.cancel(task["id"]))["status"]["state"], "TASK_STATE_CANCELED")
        self.assertEqual((await self.get(task["id"]))["status"]["state"], "TASK_STATE_CANCELED")

    async def test_approve(self):  # INT-13, INT-19
        task = await self.paused(HOLD, "TASK_STATE_AUTH_REQUIRED", APPROVAL)
        done = await self.answer(task, approved=True)
        self.assert_completed(done, task["id"], "Called github/create_pull_request")

    async def test_deny(self):  # INT-14
        task = await self.paused(HOLD, "TASK_STATE_AUTH_REQUIRED", APPROVAL)
        done = await self.answer(task, approved=False)
        self.assert_completed(done, task["id"], "tool.denied: github/create_pull_request")

    async def test_text_never_approves(self):  # INT-11
        task = await self.paused(HOLD, "TASK_STATE_AUTH_REQUIRED", APPROVAL)
        with self.assertRaises(UnsupportedOperationError):
            await self.send(taskId=task["id"], contextId=task["contextId"], parts=[{"text": "yes"}])
        self.assertEqual((await self.get(task["id"]))["status"], task["status"], "the task stays as it was")

    async def test_answer_a_question(self):  # INT-15
        want = {"kind": "question", "prompt": "Which branch?"}
        task = await self.paused("ask Which branch?", "TASK_STATE_INPUT_REQUIRED", want)
        self.assert_completed(await self.answer(task, value="main"), task["id"], 'Answered: "main"')

    async def test_answer_a_question_by_text(self):  # INT-12
        task = await self.start("ask Which branch?")
        done = await self.send(taskId=task["id"], contextId=task["contextId"], parts=[{"text": "main"}])
        self.assert_completed(done, task["id"], 'Answered: "main"')

    async def test_connect_an_app(self):  # INT-16, CONN-04, CONN-06
        want = {
            "kind": "connection",
            "prompt": "Connect github: to open the request",
            "detail": {"app": "github", "reason": "to open the request"},
        }
        task = await self.paused("connect github: to open the request", "TASK_STATE_AUTH_REQUIRED", want)
        done = await self.answer(task, value={"connected": True})
        self.assert_completed(done, task["id"], "Connected: github")

    async def test_unknown_task(self):  # ERR-01
        with self.assertRaises(TaskNotFoundError):
            await self.get("t1.unknown")

    async def test_cancel_of_a_completed_task(self):  # ERR-01
        task = await self.start("say done")
        with self.assertRaises(TaskNotCancelableError):
            await self.cancel(task["id"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
