import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client.ts";
import { TocsinError } from "./errors.ts";
import type { LiveEvent } from "./feed.ts";
import {
  createJsonReply,
  createRefusalReply,
  startServer,
  type Reply,
} from "./test-server.fixture.ts";

const GONE_DEVICE_DATA = '{"deviceId":"d-1","device":null}';

/** Writes the chunks and leaves the stream open. */
function createStreamReply(...chunks: readonly (string | Uint8Array)[]): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    for (const chunk of chunks) response.write(chunk);
  };
}

/** Writes the text and ends the stream. */
function createEndingStreamReply(text: string): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
  };
}

/** Returns the first events of the stream. */
async function takeEvents(events: AsyncIterable<LiveEvent>, count: number): Promise<LiveEvent[]> {
  const received: LiveEvent[] = [];
  for await (const event of events) {
    received.push(event);
    if (received.length === count) break;
  }
  return received;
}

test("events have their kind, id and data; unknown kinds of a newer server are skipped", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createStreamReply(
      `: hi\n\nevent: weather\ndata: ?\n\nid: 5\nevent: device\ndata: ${GONE_DEVICE_DATA}\n\n`,
    ),
  );
  const client = createClient({ baseUrl, accessToken: "tok" });
  const events = await takeEvents(client.live({ lastEventId: "4" }), 1);
  assert.deepEqual(events, [{ kind: "device", id: "5", data: { deviceId: "d-1", device: null } }]);
  assert.equal(requests[0]?.url, "/api/app/v1/live");
  assert.equal(requests[0]?.headers.accept, "text/event-stream");
  assert.equal(requests[0]?.headers.authorization, "Bearer tok");
  assert.equal(requests[0]?.headers["last-event-id"], "4");
});

test("a chunk may end inside a character", async () => {
  const bytes = new TextEncoder().encode('event: notification\ndata: {"title":"Glöckchen 🔔"}\n\n');
  const client = createClient({
    baseUrl: "http://localhost",
    fetch: () =>
      Promise.resolve(
        new Response(ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte))), {
          headers: { "content-type": "text/event-stream" },
        }),
      ),
  });
  const [event] = await takeEvents(client.live(), 1);
  assert.deepEqual(event?.data, { title: "Glöckchen 🔔" });
});

test("a lost stream is resumed after the last complete event", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createEndingStreamReply(
      `retry: 1\nid: 1\nevent: device\ndata: ${GONE_DEVICE_DATA}\n\nid: 2\nevent: device\ndata: {"cut`,
    ),
    createRefusalReply(500, "unavailable", { "retry-after": "0" }),
    (response) => response.destroy(),
    createStreamReply(`id: 2\nevent: device\ndata: ${GONE_DEVICE_DATA}\n\n`),
  );
  const events = await takeEvents(createClient({ baseUrl }).live(), 2);
  assert.deepEqual(
    events.map(({ id }) => id),
    ["1", "2"],
  );
  assert.deepEqual(
    requests.map(({ headers }) => headers["last-event-id"]),
    [undefined, "1", "1", "1"],
  );
});

test("the callbacks report when the stream opens and when it is lost", async (t) => {
  const { baseUrl } = await startServer(
    t,
    createEndingStreamReply("retry: 1\n\n"),
    createRefusalReply(500, "unavailable", { "retry-after": "0" }),
    createStreamReply(`event: device\ndata: ${GONE_DEVICE_DATA}\n\n`),
  );
  const calls: string[] = [];
  const onOpen = () => void calls.push("open");
  const onLost = () => void calls.push("lost");
  await takeEvents(createClient({ baseUrl }).live({ onOpen, onLost }), 1);
  assert.deepEqual(calls, ["open", "lost", "open"]);
  const refused = await startServer(t, createRefusalReply(401, "unauthenticated"));
  await assert.rejects(takeEvents(createClient(refused).live({ onOpen, onLost }), 1), TocsinError);
  assert.equal(calls.length, 3);
});

test("a silent stream counts as lost", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createStreamReply("retry: 1\n\n"),
    createStreamReply(`event: device\ndata: ${GONE_DEVICE_DATA}\n\n`),
  );
  // Even a busy machine responds within this time.
  await takeEvents(createClient({ baseUrl }).live({ idleTimeoutMs: 1_000 }), 1);
  assert.equal(requests.length, 2);
});

test("the first connection must succeed, and the session must stay valid", async (t) => {
  const refused = await startServer(t, createRefusalReply(500, "unavailable"));
  await assert.rejects(takeEvents(createClient(refused).live(), 1), TocsinError);
  const silent = await startServer(t, () => {});
  await assert.rejects(takeEvents(createClient(silent).live({ idleTimeoutMs: 50 }), 1), {
    name: "TocsinConnectionError",
    isTimeout: true,
  });
  const ended = await startServer(
    t,
    createEndingStreamReply("retry: 1\n\n"),
    createRefusalReply(401, "unauthenticated"),
  );
  await assert.rejects(takeEvents(createClient(ended).live(), 1), { code: "unauthenticated" });
});

test("a response that is not an event stream, or contains invalid JSON, is reported as unexpected_answer", async (t) => {
  for (const reply of [createJsonReply(200, {}), createStreamReply("event: device\ndata: {\n\n")]) {
    const server = await startServer(t, reply);
    await assert.rejects(takeEvents(createClient(server).live(), 1), { code: "unexpected_answer" });
  }
});

test("the signal ends the iteration without an error, during a stream and between two", async (t) => {
  for (const reply of [
    createStreamReply(`event: device\ndata: ${GONE_DEVICE_DATA}\n\n`),
    createEndingStreamReply(`retry: 60000\nevent: device\ndata: ${GONE_DEVICE_DATA}\n\n`),
  ]) {
    const server = await startServer(t, reply);
    const controller = new AbortController();
    const events = createClient(server).live({ signal: controller.signal });
    assert.equal((await events.next()).value?.kind, "device");
    const nextEvent = events.next();
    setTimeout(() => controller.abort(), 50);
    assert.equal((await nextEvent).done, true);
  }
});

test("204 ends the iteration; leaving the loop closes the connection", async (t) => {
  const endedServer = await startServer(t, (response) => response.writeHead(204).end());
  assert.deepEqual(await takeEvents(createClient(endedServer).live(), 1), []);
  const connectionClosed = Promise.withResolvers<void>();
  const openServer = await startServer(t, (response, request) => {
    response.on("close", () => connectionClosed.resolve());
    createStreamReply(`event: device\ndata: ${GONE_DEVICE_DATA}\n\n`)(response, request);
  });
  await takeEvents(createClient(openServer).live(), 1);
  await connectionClosed.promise;
});
