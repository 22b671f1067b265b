import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { TestClock } from "../../../test/support/room.ts";
import { StreamRights } from "./rights.ts";

const SECOND_MS = 1_000;

/** Returns stream rights over a scripted database, with streams that record the calls. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const clock = new TestClock();
  const state = { isHearing: true, isDown: false, queryCount: 0 };
  const valid = new Map<string, number | null>();
  const pendingQueries: (() => void)[] = [];
  const rights = new StreamRights({
    now: clock.now,
    log: pino({ level: "silent" }),
    isHearing: () => state.isHearing,
    async find(ids) {
      state.queryCount += 1;
      if (state.isDown) throw new Error("The database is away.");
      const found = ids.flatMap((id) => {
        const endsAt = valid.get(id);
        return endsAt === undefined ? [] : [[id, endsAt] as const];
      });
      await new Promise<void>((resolve) => pendingQueries.push(resolve));
      return new Map(found);
    },
  });
  /** Answers the pending queries of the database. */
  const answerQueries = async () => {
    for (let turns = 0; turns < 5; turns += 1) {
      for (const resolve of pendingQueries.splice(0)) resolve();
      await turn();
    }
  };
  const open = async (accountId: string, credentialId: string, endsAt: number | null = null) => {
    valid.set(credentialId, endsAt);
    const done: string[] = [];
    const log = (name: string) => () => void done.push(name);
    const stream = { hold: log("hold"), release: log("release"), end: log("end") };
    const { isValid, beforeEvent, leave } = rights.admit({ accountId, credentialId, stream });
    await answerQueries();
    assert.equal(await isValid, true);
    return { done, beforeEvent, leave };
  };
  const advance = async (seconds: number) => {
    clock.advance(seconds * SECOND_MS);
    for (let count = 0; count < seconds; count += 1) {
      t.mock.timers.tick(SECOND_MS);
      await answerQueries();
    }
  };
  return { clock, state, valid, rights, answerQueries, open, advance };
}

test("an event after the end of a session waits until the session is checked", async (t) => {
  const { clock, valid, answerQueries, open } = setUp(t);
  const endsAt = clock.now() + SECOND_MS;
  const expired = await open("ann", "over", endsAt);
  const prolonged = await open("ben", "prolonged", endsAt);
  for (const { beforeEvent } of [expired, prolonged]) beforeEvent();
  assert.deepEqual([expired.done, prolonged.done], [[], []]);
  clock.advance(SECOND_MS);
  valid.delete("over");
  valid.set("prolonged", endsAt + SECOND_MS);
  for (const { beforeEvent } of [expired, prolonged]) beforeEvent();
  assert.deepEqual([expired.done, prolonged.done], [["hold"], ["hold"]]);
  await answerQueries();
  assert.deepEqual(
    [expired.done, prolonged.done],
    [
      ["hold", "end"],
      ["hold", "release"],
    ],
  );
});

test("a change of an account holds its streams immediately, and ends the revoked ones", async (t) => {
  const { answerQueries, open, rights, valid } = setUp(t);
  const [ended, other, bobs] = [
    await open("ann", "s1"),
    await open("ann", "s2"),
    await open("bob", "s3"),
  ];
  valid.delete("s1");
  rights.review("ann");
  assert.deepEqual([ended.done, other.done, bobs.done], [["hold"], ["hold"], []]);
  await answerQueries();
  assert.deepEqual(
    [ended.done, other.done],
    [
      ["hold", "end"],
      ["hold", "release"],
    ],
  );
});

test("a change during a check repeats it, because its result may be outdated", async (t) => {
  const { answerQueries, open, rights, valid } = setUp(t);
  const { done } = await open("ann", "s1");
  rights.review("ann");
  valid.delete("s1");
  rights.review("ann");
  await answerQueries();
  assert.deepEqual(done, ["hold", "hold", "end"]);
});

test("an expired session ends its stream within a second, and a prolonged one does not", async (t) => {
  const { clock, open, advance, valid, state } = setUp(t);
  const endsAt = clock.now() + 5_500;
  const [expired, prolonged] = [await open("ann", "s1", endsAt), await open("ann", "s2", endsAt)];
  const { queryCount } = state;
  await advance(5);
  assert.deepEqual([expired.done, state.queryCount], [[], queryCount]);
  valid.delete("s1");
  valid.set("s2", endsAt + 60_000);
  await advance(1);
  assert.deepEqual(expired.done, ["hold", "end"]);
  assert.deepEqual(prolonged.done, ["hold", "release"]);
  const before = state.queryCount;
  await advance(10);
  assert.equal(state.queryCount, before);
});

test("all streams are checked once a minute, or every second while messages may get lost", async (t) => {
  const { open, advance, valid, state } = setUp(t);
  const [first, second] = [await open("ann", "s1"), await open("bob", "s2")];
  const { queryCount } = state;
  await advance(59);
  assert.equal(state.queryCount, queryCount);
  await advance(1);
  assert.equal(state.queryCount, queryCount + 1);
  state.isHearing = false;
  valid.delete("s1");
  await advance(1);
  assert.deepEqual([first.done.at(-1), second.done.at(-1)], ["end", "release"]);
});

test("while the database is unavailable, affected streams do not end but get no events", async (t) => {
  const { answerQueries, open, advance, rights, valid, state } = setUp(t);
  const [first, second] = [await open("ann", "s1"), await open("ann", "s2")];
  state.isDown = true;
  valid.delete("s1");
  rights.review("ann");
  await answerQueries();
  await advance(3);
  assert.deepEqual([...new Set([...first.done, ...second.done])], ["hold"]);
  state.isDown = false;
  await advance(1);
  assert.deepEqual([first.done.at(-1), second.done.at(-1)], ["end", "release"]);
});

test("a closed stream is no longer checked", async (t) => {
  const { open, advance, state, rights, answerQueries } = setUp(t);
  const { done, leave } = await open("ann", "s1");
  rights.review("ann");
  leave();
  await answerQueries();
  const { queryCount } = state;
  state.isHearing = false;
  await advance(61);
  assert.deepEqual([done, state.queryCount], [["hold"], queryCount]);
});
