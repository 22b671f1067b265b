import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import test, { type TestContext } from "node:test";
import { LiveStream } from "./stream.ts";

const POSITION = "0197f0a0-0000-7000-8000-000000000000";

/** Returns a stream that has begun, and the response at its reader's end. */
async function beginning(t: TestContext) {
  const server = createServer();
  const asked = once(server, "request");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const request = get({ port: address.port, host: "127.0.0.1", agent: false });
  request.on("error", () => {});
  // The types of the event's arguments.
  const [, response] = (await asked) as [IncomingMessage, ServerResponse];
  const answered = once(request, "response");
  const stream = new LiveStream(response);
  stream.begin({ "x-request-id": "r1" }, { missed: [], position: POSITION });
  const [answer] = (await answered) as [IncomingMessage];
  t.after(() => request.destroy());
  answer.on("error", () => {});
  return { stream, response, answer };
}

test("a stream keeps the headers that were set, and ends its connection with itself", async (t) => {
  const { stream, answer } = await beginning(t);
  assert.equal(answer.headers["x-request-id"], "r1");
  assert.equal(answer.headers.connection, "close");
  stream.end();
  let text = "";
  for await (const bytes of answer) text += String(bytes);
  assert.equal(text, `retry: 2000\n\nid: ${POSITION}\n\n`);
  assert.equal(stream.isOpen, false);
});

test("the end of a stream does not wait for a reader that does not read", async (t) => {
  const { stream, response, answer } = await beginning(t);
  answer.pause();
  const data = { deviceId: "x".repeat(100_000), device: null, isNew: false };
  const event = { id: POSITION, kind: "device", data, accountIds: new Set<string>() } as const;
  while (response.writableLength < 1_000_000) {
    stream.take(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(stream.isOpen, true);
  const closed = once(response, "close", { signal: AbortSignal.timeout(5_000) });
  stream.end();
  await closed;
  stream.take(event);
  stream.beat();
});

test("an event that comes while a stream is held waits, comes in order, or never where it ends", async (t) => {
  const { stream, answer } = await beginning(t);
  const data = { deviceId: "d1", device: null, isNew: false };
  const take = (id: string) =>
    stream.take({ id, kind: "device", data, accountIds: new Set<string>() });
  take("one");
  stream.hold();
  take("two");
  take("three");
  stream.beat();
  stream.release();
  take("four");
  stream.hold();
  take("five");
  stream.end();
  let text = "";
  for await (const bytes of answer) text += String(bytes);
  assert.deepEqual(text.match(/(?<=^id: |^: ).*$/gm), [
    POSITION,
    "one",
    "still here",
    "two",
    "three",
    "four",
  ]);
});

test("more than a thousand events wait for no stream: its reader comes back for them", async (t) => {
  const { stream, response } = await beginning(t);
  const data = { deviceId: "d1", device: null, isNew: false };
  const event = { id: POSITION, kind: "device", data, accountIds: new Set<string>() } as const;
  stream.hold();
  for (let count = 0; count < 1_000; count += 1) stream.take(event);
  assert.equal(stream.isOpen, true);
  const closed = once(response, "close", { signal: AbortSignal.timeout(5_000) });
  stream.take(event);
  await closed;
});
