// Serves @copilotkit/aimock with one round trip of a tool, and ends with its standard input.
import { createRequire } from "node:module";

const { LLMock } = createRequire(import.meta.url)("@copilotkit/aimock");

const mock = new LLMock({ port: 0 });
mock.on({ userMessage: "weather", hasToolResult: false }, {
  content: "Let me look.",
  toolCalls: [
    { name: "get_weather", arguments: JSON.stringify({ city: "Kyiv" }) },
    { name: "get_weather", arguments: JSON.stringify({ city: "Oslo" }) },
  ],
});
mock.on({ userMessage: "weather", hasToolResult: true }, { content: "It is sunny in both." });
await mock.start();
console.log(mock.url);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
