import assert from "node:assert/strict";
import test from "node:test";
import {
  ACCOUNT_ID,
  startLiveServer,
  type LiveHooks,
  type OpenResponse,
} from "../../../test/support/live-server.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { insertNotifications, createNotification } from "../../../test/support/notifications.ts";

const HEARTBEAT_MS = 20_000;

test("a stream sends its position first, so that a reader without events misses none", async (t) => {
  const { publish, openStream } = await startLiveServer(t);
  const firstStream = await openStream();
  assert.equal(firstStream.status, 200);
  assert.equal(firstStream.headers["content-type"], "text/event-stream; charset=utf-8");
  assert.equal(firstStream.headers["cache-control"], "no-store");
  const text = await firstStream.readUntil("\nid: ");
  const position = /^id: (\S+)\n\n/m.exec(text)?.[1] ?? "";
  firstStream.response.destroy();
  await firstStream.closed;
  const missedId = publish("d1");
  const secondStream = await openStream(position);
  assert.ok((await secondStream.readUntil("d1")).includes(`id: ${missedId}\nevent: device\n`));
});

test("a reader from another process gets the notifications since its last event", async (t) => {
  const { context, openStream } = await startLiveServer(t);
  const earlierNotification = createNotification(context, ACCOUNT_ID, { title: "Seen" });
  context.clock.advance(60_000);
  const lastId = context.newId();
  context.clock.advance(1_000);
  const missedNotifications = [1, 2].map((number) =>
    createNotification(context, ACCOUNT_ID, { title: `${number}` }),
  );
  const bobsNotification = createNotification(context, "bob", { title: "Foreign" });
  await insertNotifications(context, [
    earlierNotification,
    ...missedNotifications,
    bobsNotification,
  ]);
  const text = await (await openStream(lastId)).readUntil(missedNotifications[1]?.id ?? "");
  assert.deepEqual(
    [...text.matchAll(/^id: (.*)\nevent: notification$/gm)].map(([, id]) => id),
    missedNotifications.map(({ id }) => id),
  );
});

test("a stream with a malformed position starts now", async (t) => {
  const { context, publish, openStream } = await startLiveServer(t);
  await insertNotifications(context, [createNotification(context, ACCOUNT_ID, { title: "Old" })]);
  for (const lastId of ["7", "../../etc", "0".repeat(36)]) {
    const { readUntil } = await openStream(lastId);
    await readUntil("\nid: ");
    publish(`after ${lastId}`);
    assert.doesNotMatch(await readUntil(`after ${lastId}`), /Old/);
  }
});

test("a quiet stream sends a heartbeat every 20 seconds, and ends with its session", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { credentialChecks, session, openStream } = await startLiveServer(t);
  const { readUntil, response, closed } = await openStream();
  await readUntil("\nid: ");
  t.mock.timers.tick(HEARTBEAT_MS);
  await readUntil(": still here\n\n");
  session.hasEnded = true;
  credentialChecks.review(ACCOUNT_ID);
  response.resume();
  await closed;
  assert.equal(response.complete, true);
});

test("a stream whose session ends while it opens is refused", async (t) => {
  const { started, hold } = holdFirstCall();
  const { context, publish, session, openStream } = await startLiveServer(t, {
    findValidCredentials: hold,
  });
  const opening = openStream(context.newId());
  const release = await started;
  session.hasEnded = true;
  publish("d1");
  release();
  assert.equal((await opening).status, 401);
});

test("a reader that stops reading is disconnected", async (t) => {
  const { hub, publish, openStream } = await startLiveServer(t);
  const { response, closed } = await openStream();
  response.pause();
  const isOpen = () => hub.isWatched(ACCOUNT_ID) && !response.destroyed;
  const longId = "x".repeat(100_000);
  let publishedBytes = 0;
  for (let count = 0; count < 500 && isOpen(); count += 1) {
    publish(longId);
    publishedBytes += longId.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  let receivedBytes = 0;
  response.on("data", (bytes: Buffer) => (receivedBytes += bytes.length));
  response.resume();
  await closed;
  assert.ok(receivedBytes < publishedBytes, `${receivedBytes} of ${publishedBytes} bytes`);
});

test("a replay is cut to its newest events, so that its reader is not disconnected again", async (t) => {
  const { publish, openStream } = await startLiveServer(t);
  const firstStream = await openStream();
  const text = await firstStream.readUntil("\nid: ");
  firstStream.response.destroy();
  const position = /^id: (\S+)\n\n/m.exec(text)?.[1] ?? "";
  for (let count = 0; count < 40; count += 1) publish(`${count} ${"x".repeat(100_000)}`);
  const secondStream = await openStream(position);
  const resumedText = await secondStream.readUntil('"39 x');
  assert.doesNotMatch(resumedText, /"deviceId":"5 x/);
});

test("the 21st stream of an account gets 429 until another one closes", async (t) => {
  const { openStream } = await startLiveServer(t);
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream()));
  const refusal = await openStream();
  assert.equal(refusal.status, 429);
  assert.equal(refusal.headers["retry-after"], "60");
  streams[0]?.response.destroy();
  await streams[0]?.closed;
  await assert.doesNotReject(retryStream(openStream));
});

/** Opens a stream, with retries: the server notices a closed connection slightly later than its client. */
async function retryStream(openStream: () => Promise<OpenResponse>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await openStream()).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("The account still has too many streams.");
}

test("a stopping server ends its streams, even those of stalled readers", async (t) => {
  const { close, publish, openStream } = await startLiveServer(t);
  const readingStream = await openStream();
  const stalledStream = await openStream();
  stalledStream.response.pause();
  for (let count = 0; count < 15; count += 1) publish("x".repeat(100_000));
  readingStream.response.resume();
  await close();
  await readingStream.closed;
  assert.equal(readingStream.response.complete, true);
});

test("a stream that opens while the server stops is refused", async (t) => {
  const { started, hold } = holdFirstCall();
  const { context, close, openStream } = await startLiveServer(t, { listMembershipPeriods: hold });
  const lastId = context.newId();
  context.clock.advance(1);
  const opening = openStream(lastId);
  const release = await started;
  const closing = close();
  // The server announces its stop before it waits for requests under way.
  await new Promise((resolve) => setImmediate(resolve));
  release();
  assert.equal((await opening).status, 500);
  await closing;
});

test("a reader that disconnects before its stream starts is not subscribed", async (t) => {
  const hookNames = ["authenticate", "findValidCredentials", "listMembershipPeriods"] as const;
  for (const name of hookNames satisfies readonly (keyof LiveHooks)[]) {
    const { started, hold } = holdFirstCall();
    const { context, hub, url, countConnections, openStream } = await startLiveServer(t, {
      [name]: hold,
    });
    const headers = { "last-event-id": context.newId() };
    context.clock.advance(1);
    const client = new AbortController();
    const opening = fetch(`${url}/api/app/v1/live`, { headers, signal: client.signal });
    const release = await started;
    client.abort();
    await assert.rejects(opening);
    await eventually(countConnections, (count) => count === 0);
    release();
    // When this stream has queried the database, the first one has too.
    (await openStream(headers["last-event-id"])).response.destroy();
    const readWatchedAccountIds = async () => {
      context.clock.advance(3 * 60_000);
      return hub.watchedAccountIds;
    };
    assert.deepEqual(
      await eventually(readWatchedAccountIds, ({ length }) => length === 0),
      [],
      name,
    );
  }
});

/** Returns a hook whose first call waits. `started` resolves, once it has begun, with the function that releases it. */
function holdFirstCall() {
  const arrival = Promise.withResolvers<() => void>();
  let isFirst = true;
  const hold = async () => {
    if (!isFirst) return;
    isFirst = false;
    await new Promise<void>((resolve) => arrival.resolve(resolve));
  };
  return { started: arrival.promise, hold };
}
