import assert from "node:assert/strict";
import test from "node:test";
import { createIds } from "#ids.ts";
import { TestClock } from "../../../test/support/room.ts";
import { LiveHub, type HubEvent } from "./hub.ts";

const MINUTE_MS = 60_000;
const data = { deviceId: "d1", device: null, isNew: false };

function setUp(marginMs = 0) {
  const clock = new TestClock();
  const hub = new LiveHub({ now: clock.now, elapsed: clock.elapsed, marginMs });
  const newId = createIds(clock.now);
  const publish = (...accountIds: string[]) => {
    const id = newId();
    hub.publish({ id, kind: "device", data, accountIds: new Set(accountIds) });
    return id;
  };
  const watch = (accountId: string) => {
    const seen: string[] = [];
    const close = hub.open(accountId, ({ id }: HubEvent) => void seen.push(id));
    return { seen, close: close ?? assert.fail("too many streams") };
  };
  return { clock, hub, newId, publish, watch };
}

function idsOf(events: readonly HubEvent[] | null): readonly string[] | null {
  return events?.map(({ id }) => id) ?? null;
}

test("an event goes to all open streams of its accounts, and to no other", () => {
  const { publish, watch } = setUp();
  const [first, second, bob] = [watch("ann"), watch("ann"), watch("bob")];
  const id = publish("ann", "eve");
  assert.deepEqual([first.seen, second.seen, bob.seen], [[id], [id], []]);
  first.close();
  publish("ann");
  assert.equal(first.seen.length, 1);
  assert.equal(second.seen.length, 2);
});

test("an account has at most 20 streams, and a closed one makes room for another", () => {
  const { hub, watch } = setUp();
  const streams = Array.from({ length: 20 }, () => watch("ann"));
  assert.equal(
    hub.open("ann", () => {}),
    null,
  );
  watch("bob");
  streams[0]?.close();
  streams[0]?.close();
  watch("ann");
  assert.equal(
    hub.open("ann", () => {}),
    null,
  );
});

test("a reader that reconnects within two minutes gets exactly the missed events", () => {
  const { clock, hub, newId, publish, watch } = setUp();
  const stream = watch("ann");
  const last = publish("ann");
  stream.close();
  publish("bob");
  const missed = [publish("ann", "bob"), publish("ann")];
  clock.advance(2 * MINUTE_MS);
  assert.equal(hub.isWatching("ann"), true);
  assert.deepEqual(hub.accountIds, ["ann"]);
  assert.deepEqual(idsOf(hub.since("ann", last)), missed);
  assert.deepEqual(idsOf(hub.since("ann", newId())), []);
});

test("a reader that reconnects later, or from another process, gets null instead of a replay", () => {
  const { clock, hub, newId, publish, watch } = setUp();
  const before = newId();
  clock.advance(1);
  const stream = watch("ann");
  assert.equal(hub.since("ann", before), null);
  const last = publish("ann");
  stream.close();
  clock.advance(2 * MINUTE_MS + 1);
  assert.deepEqual([hub.isWatching("ann"), hub.accountIds], [false, []]);
  assert.equal(hub.since("ann", last), null);
  watch("ann");
  assert.equal(hub.since("ann", last), null);
});

test("a replay after an event of another process starts early, to include uncertain events", () => {
  const { clock, hub, newId, publish, watch } = setUp(1_000);
  const stream = watch("ann");
  clock.advance(5_000);
  const before = publish("ann");
  const last = publish("ann");
  const foreignId = newId();
  stream.close();
  const missed = publish("ann");
  assert.deepEqual(idsOf(hub.since("ann", last)), [missed]);
  assert.deepEqual(idsOf(hub.since("ann", foreignId)), [before, last, missed]);
});

test("only the newest 500 events are kept, and a replay with a gap is null", () => {
  const { hub, publish, watch } = setUp();
  watch("ann");
  const ids = Array.from({ length: 1_001 }, () => publish("ann"));
  assert.equal(hub.since("ann", ids[499] ?? ""), null);
  assert.equal(hub.since("ann", ids[500] ?? "")?.length, 500);
});
