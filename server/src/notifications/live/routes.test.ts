import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import test, { type TestContext } from "node:test";
import { insertNotifications, notificationTo } from "../../../test/support/notifications.ts";
import { listen, testContext } from "../../../test/support/room.ts";
import { AppError } from "#errors.ts";
import type { Person } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { LiveHub } from "./hub.ts";
import { registerLiveRoutes } from "./routes.ts";

const ANN = "ann";
const PERSON: Person = {
  accountId: ANN,
  email: "ann@example.org",
  name: "Ann",
  isAdmin: false,
  isEmailVerified: true,
};
const HEARTBEAT_MS = 20_000;

async function room(t: TestContext) {
  const context = await testContext(t);
  const hub = new LiveHub(context);
  const session = { isOver: false };
  const servers: Server[] = [];
  const url = await listen(t, context, (server) => {
    servers.push(server);
    registerLiveRoutes(server, {
      context,
      hub,
      staysOf: async () => [],
      authenticate: async () => {
        if (session.isOver) throw new AppError("unauthenticated", "Sign in.");
        return PERSON;
      },
    });
  });
  const publish = (deviceId: string) => {
    const id = context.newId();
    const data = { deviceId, device: null };
    hub.publish({ id, kind: "device", data, accountIds: new Set([ANN]) });
    return id;
  };
  const close = async () => {
    for (const server of servers) await server.close();
  };
  const stream = (lastEventId?: string) => open(t, `${url}/api/app/v1/live`, lastEventId);
  return { context, hub, session, publish, close, stream };
}

/** An open stream whose text is read as far as a test wants. */
async function open(t: TestContext, url: string, lastEventId?: string) {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const request = get(url, { headers, agent: false });
  request.on("error", () => {});
  t.after(() => request.destroy());
  // The event's one argument is the answer.
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  answer.on("error", () => {});
  const ended = new Promise((resolve) => answer.once("close", resolve));
  /** Reads until the text has come. */
  const read = async (wanted: string) => {
    answer.on("data", (bytes: Buffer) => (text += bytes.toString()));
    while (!text.includes(wanted)) await once(answer, "data");
    answer.removeAllListeners("data");
    return text;
  };
  return { status: answer.statusCode, headers: answer.headers, answer, read, ended };
}

test("a stream names its position at once, so that whoever saw no event misses none", async (t) => {
  const { publish, stream } = await room(t);
  const first = await stream();
  assert.equal(first.status, 200);
  assert.equal(first.headers["content-type"], "text/event-stream; charset=utf-8");
  assert.equal(first.headers["cache-control"], "no-store");
  const text = await first.read("\nid: ");
  const position = /^id: (\S+)\n\n/m.exec(text)?.[1] ?? "";
  first.answer.destroy();
  await first.ended;
  const missed = publish("d1");
  const second = await stream(position);
  assert.ok((await second.read("d1")).includes(`id: ${missed}\nevent: device\n`));
});

test("a stream of another process gets the newest of the feed since its last event", async (t) => {
  const { context, stream } = await room(t);
  const seen = notificationTo(context, ANN, { title: "Seen" });
  context.clock.advance(60_000);
  const lastId = context.newId();
  context.clock.advance(1_000);
  const missed = [1, 2].map((number) => notificationTo(context, ANN, { title: `${number}` }));
  const foreign = notificationTo(context, "bob", { title: "Foreign" });
  await insertNotifications(context, [seen, ...missed, foreign]);
  const text = await (await stream(lastId)).read(missed[1]?.id ?? "");
  assert.deepEqual(
    [...text.matchAll(/^id: (.*)\nevent: notification$/gm)].map(([, id]) => id),
    missed.map(({ id }) => id),
  );
});

test("a position that is none of ours begins now", async (t) => {
  const { context, publish, stream } = await room(t);
  await insertNotifications(context, [notificationTo(context, ANN, { title: "Old" })]);
  for (const lastId of ["7", "../../etc", "0".repeat(36)]) {
    const { read } = await stream(lastId);
    await read("\nid: ");
    publish(`after ${lastId}`);
    assert.doesNotMatch(await read(`after ${lastId}`), /Old/);
  }
});

test("a quiet stream beats every 20 seconds, and ends at the beat after its session did", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { session, stream } = await room(t);
  const { read, answer, ended } = await stream();
  await read("\nid: ");
  t.mock.timers.tick(HEARTBEAT_MS);
  await read(": still here\n\n");
  session.isOver = true;
  t.mock.timers.tick(HEARTBEAT_MS);
  answer.resume();
  await ended;
  assert.equal(answer.complete, true);
});

test("a reader that does not read is cut off before it costs more than it may", async (t) => {
  const { hub, publish, stream } = await room(t);
  const { answer, ended } = await stream();
  answer.pause();
  const isOpen = () => hub.isWatching(ANN) && !answer.destroyed;
  const long = "x".repeat(100_000);
  for (let count = 0; count < 500 && isOpen(); count += 1) {
    publish(long);
    await new Promise((resolve) => setImmediate(resolve));
  }
  answer.resume();
  await ended;
  assert.equal(answer.complete, false);
});

test("what was missed is never so much that its reader is cut off again", async (t) => {
  const { publish, stream } = await room(t);
  const first = await stream();
  const text = await first.read("\nid: ");
  first.answer.destroy();
  const position = /^id: (\S+)\n\n/m.exec(text)?.[1] ?? "";
  for (let count = 0; count < 40; count += 1) publish(`${count} ${"x".repeat(100_000)}`);
  const second = await stream(position);
  const resumed = await second.read('"39 x');
  assert.doesNotMatch(resumed, /"deviceId":"5 x/);
});

test("an account has at most 20 streams, and is told so", async (t) => {
  const { stream } = await room(t);
  const streams = await Promise.all(Array.from({ length: 20 }, () => stream()));
  const refused = await stream();
  assert.equal(refused.status, 429);
  assert.equal(refused.headers["retry-after"], "60");
  streams[0]?.answer.destroy();
  await streams[0]?.ended;
  await assert.doesNotReject(streamOnceThereIsRoom(stream));
});

/** The server hears of a closed connection a moment after its client. */
async function streamOnceThereIsRoom(stream: () => ReturnType<typeof open>): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await stream()).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("There is no room.");
}

test("a server that stops ends its streams, of readers that do not read too", async (t) => {
  const { close, publish, stream } = await room(t);
  const [reading, stuck] = [await stream(), await stream()];
  stuck.answer.pause();
  for (let count = 0; count < 15; count += 1) publish("x".repeat(100_000));
  reading.answer.resume();
  await close();
  await reading.ended;
  assert.equal(reading.answer.complete, true);
});
