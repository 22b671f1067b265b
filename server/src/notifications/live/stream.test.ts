import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import test, { type TestContext } from "node:test";
import { LiveStream } from "./stream.ts";

const POSITION = "0197f0a0-0000-7000-8000-000000000000";

/** Returns a stream that has started, and the response at its reader's end. */
async function startStream(t: TestContext) {
  const server = createServer();
  const requestReceived = once(server, "request");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const request = get({ port: address.port, host: "127.0.0.1", agent: false });
  request.on("error", () => {});
  // The event has these arguments.
  const [, response] = (await requestReceived) as [IncomingMessage, ServerResponse];
  const responded = once(request, "response");
  const stream = new LiveStream(response);
  stream.start({ "x-request-id": "r1" }, { replayedEvents: [], position: POSITION });
  const [clientResponse] = (await responded) as [IncomingMessage];
  t.after(() => request.destroy());
  clientResponse.on("error", () => {});
  return { stream, response, clientResponse };
}

test("a stream keeps the headers that were set, and closes its connection at its end", async (t) => {
  const { stream, clientResponse } = await startStream(t);
  assert.equal(clientResponse.headers["x-request-id"], "r1");
  assert.equal(clientResponse.headers.connection, "close");
  stream.end();
  let text = "";
  for await (const bytes of clientResponse) text += String(bytes);
  assert.equal(text, `retry: 2000\n\nid: ${POSITION}\n\n`);
  assert.equal(stream.isOpen, false);
});

test("an event is encoded once for all streams, and is sent without chunked encoding", async (t) => {
  const streams = [await startStream(t), await startStream(t)];
  let encodingCount = 0;
  const deviceId = Object.assign(Object("d1"), { toJSON: () => `d${(encodingCount += 1)}` });
  const event = {
    id: "one",
    kind: "device",
    data: { deviceId, device: null, isNew: false },
    accountIds: new Set<string>(),
  } as const;
  for (const { stream } of streams) {
    stream.send(event);
    stream.end();
  }
  for (const { clientResponse } of streams) {
    assert.equal(clientResponse.headers["transfer-encoding"], undefined);
    let text = "";
    for await (const bytes of clientResponse) text += String(bytes);
    assert.match(text, /id: one\nevent: device\ndata: \{"deviceId":"d1",/);
  }
  assert.equal(encodingCount, 1);
});

test("the end of a stream does not wait for a stalled reader", async (t) => {
  const { stream, response, clientResponse } = await startStream(t);
  clientResponse.pause();
  const data = { deviceId: "x".repeat(100_000), device: null, isNew: false };
  const event = { id: POSITION, kind: "device", data, accountIds: new Set<string>() } as const;
  while (response.writableLength < 1_000_000) {
    stream.send(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(stream.isOpen, true);
  const closed = once(response, "close", { signal: AbortSignal.timeout(5_000) });
  stream.end();
  await closed;
  stream.send(event);
  stream.sendHeartbeat();
});

test("a paused stream queues events, and sends them in order when it resumes", async (t) => {
  const { stream, clientResponse } = await startStream(t);
  const data = { deviceId: "d1", device: null, isNew: false };
  const sendEvent = (id: string) =>
    stream.send({ id, kind: "device", data, accountIds: new Set<string>() });
  sendEvent("one");
  stream.pause();
  sendEvent("two");
  sendEvent("three");
  stream.sendHeartbeat();
  stream.resume();
  sendEvent("four");
  stream.pause();
  sendEvent("five");
  stream.end();
  let text = "";
  for await (const bytes of clientResponse) text += String(bytes);
  assert.deepEqual(text.match(/(?<=^id: |^: ).*$/gm), [
    POSITION,
    "one",
    "still here",
    "two",
    "three",
    "four",
  ]);
});

test("a paused stream with more than 1,000 queued events is closed", async (t) => {
  const { stream, response } = await startStream(t);
  const data = { deviceId: "d1", device: null, isNew: false };
  const event = { id: POSITION, kind: "device", data, accountIds: new Set<string>() } as const;
  stream.pause();
  for (let count = 0; count < 1_000; count += 1) stream.send(event);
  assert.equal(stream.isOpen, true);
  const closed = once(response, "close", { signal: AbortSignal.timeout(5_000) });
  stream.send(event);
  await closed;
});
