import assert from "node:assert/strict";
import test from "node:test";
import { createIds } from "#ids.ts";
import { TestClock } from "../../../test/support/test-clock.ts";
import { LiveHub, type HubEvent } from "./hub.ts";

const MINUTE_MS = 60_000;
const data = { deviceId: "d1", device: null, isNew: false };

function setUp(replayMarginMs = 0) {
  const clock = new TestClock();
  const hub = new LiveHub({
    now: clock.now,
    elapsed: clock.elapsed,
    replayMarginMs,
  });
  const newId = createIds(clock.now);
  const publish = (...accountIds: string[]) => {
    const id = newId();
    hub.publish({ id, kind: "device", data, accountIds: new Set(accountIds) });
    return id;
  };
  const openStream = (accountId: string) => {
    const seen: string[] = [];
    const close = hub.addStream(accountId, ({ id }: HubEvent) => void seen.push(id));
    return { seen, close: close ?? assert.fail("too many streams") };
  };
  return { clock, hub, newId, publish, openStream };
}

function listIds(events: readonly HubEvent[] | null): readonly string[] | null {
  return events?.map(({ id }) => id) ?? null;
}

test("an event goes to all open streams of its accounts, and to no other", () => {
  const { publish, openStream } = setUp();
  const firstStream = openStream("ann");
  const secondStream = openStream("ann");
  const bobsStream = openStream("bob");
  const id = publish("ann", "eve");
  assert.deepEqual([firstStream.seen, secondStream.seen, bobsStream.seen], [[id], [id], []]);
  firstStream.close();
  publish("ann");
  assert.equal(firstStream.seen.length, 1);
  assert.equal(secondStream.seen.length, 2);
});

test("an account has at most 20 streams, and a closed one makes room for another", () => {
  const { hub, openStream } = setUp();
  const streams = Array.from({ length: 20 }, () => openStream("ann"));
  assert.equal(
    hub.addStream("ann", () => {}),
    null,
  );
  openStream("bob");
  streams[0]?.close();
  streams[0]?.close();
  openStream("ann");
  assert.equal(
    hub.addStream("ann", () => {}),
    null,
  );
});

test("a reader that reconnects within two minutes gets exactly the missed events", () => {
  const { clock, hub, newId, publish, openStream } = setUp();
  const stream = openStream("ann");
  const lastId = publish("ann");
  stream.close();
  publish("bob");
  const missedIds = [publish("ann", "bob"), publish("ann")];
  clock.advance(2 * MINUTE_MS);
  assert.equal(hub.isWatched("ann"), true);
  assert.deepEqual(hub.watchedAccountIds, ["ann"]);
  assert.deepEqual(listIds(hub.listEventsSince("ann", lastId)), missedIds);
  assert.deepEqual(listIds(hub.listEventsSince("ann", newId())), []);
});

test("a reader that reconnects later, or from another process, gets null instead of a replay", () => {
  const { clock, hub, newId, publish, openStream } = setUp();
  const idBefore = newId();
  clock.advance(1);
  const stream = openStream("ann");
  assert.equal(hub.listEventsSince("ann", idBefore), null);
  const lastId = publish("ann");
  stream.close();
  clock.advance(2 * MINUTE_MS + 1);
  assert.deepEqual([hub.isWatched("ann"), hub.watchedAccountIds], [false, []]);
  assert.equal(hub.listEventsSince("ann", lastId), null);
  openStream("ann");
  assert.equal(hub.listEventsSince("ann", lastId), null);
});

test("a replay after an event of another process starts early, to include uncertain events", () => {
  const { clock, hub, newId, publish, openStream } = setUp(1_000);
  const stream = openStream("ann");
  clock.advance(5_000);
  const idBefore = publish("ann");
  const lastId = publish("ann");
  const foreignId = newId();
  stream.close();
  const missedId = publish("ann");
  assert.deepEqual(listIds(hub.listEventsSince("ann", lastId)), [missedId]);
  assert.deepEqual(listIds(hub.listEventsSince("ann", foreignId)), [idBefore, lastId, missedId]);
});

test("the hub keeps at least the newest 500 events, and a replay with a gap is null", () => {
  const { hub, publish, openStream } = setUp();
  openStream("ann");
  const ids = Array.from({ length: 1_001 }, () => publish("ann"));
  assert.equal(hub.listEventsSince("ann", ids[499] ?? ""), null);
  assert.equal(hub.listEventsSince("ann", ids[500] ?? "")?.length, 500);
});
