import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { TestClock } from "../../../test/support/room.ts";
import { StreamRights } from "./rights.ts";

const SECOND_MS = 1_000;

/** Starts rights over a scripted database, with streams that record what is done to them. */
function room(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const clock = new TestClock();
  const state = { isHearing: true, isDown: false, asked: 0 };
  const standing = new Map<string, number | null>();
  const waiting: (() => void)[] = [];
  const rights = new StreamRights({
    now: clock.now,
    log: pino({ level: "silent" }),
    isHearing: () => state.isHearing,
    async find(ids) {
      state.asked += 1;
      if (state.isDown) throw new Error("The database is away.");
      const found = ids.flatMap((id) => {
        const endsAt = standing.get(id);
        return endsAt === undefined ? [] : [[id, endsAt] as const];
      });
      await new Promise<void>((resolve) => waiting.push(resolve));
      return new Map(found);
    },
  });
  /** Answers the pending queries of the database. */
  const answer = async () => {
    for (let turns = 0; turns < 5; turns += 1) {
      for (const resolve of waiting.splice(0)) resolve();
      await turn();
    }
  };
  const open = async (accountId: string, credentialId: string, endsAt: number | null = null) => {
    standing.set(credentialId, endsAt);
    const done: string[] = [];
    const log = (what: string) => () => void done.push(what);
    const stream = { hold: log("hold"), release: log("release"), end: log("end") };
    const { stands, beforeEvent, leave } = rights.admit({ accountId, credentialId, stream });
    await answer();
    assert.equal(await stands, true);
    return { done, beforeEvent, leave };
  };
  const pass = async (seconds: number) => {
    clock.advance(seconds * SECOND_MS);
    for (let count = 0; count < seconds; count += 1) {
      t.mock.timers.tick(SECOND_MS);
      await answer();
    }
  };
  return { clock, state, standing, rights, answer, open, pass };
}

test("an event that comes once a session has run out waits until the session is looked up", async (t) => {
  const { clock, standing, answer, open } = room(t);
  const endsAt = clock.now() + SECOND_MS;
  const over = await open("ann", "over", endsAt);
  const prolonged = await open("ben", "prolonged", endsAt);
  for (const { beforeEvent } of [over, prolonged]) beforeEvent();
  assert.deepEqual([over.done, prolonged.done], [[], []]);
  clock.advance(SECOND_MS);
  standing.delete("over");
  standing.set("prolonged", endsAt + SECOND_MS);
  for (const { beforeEvent } of [over, prolonged]) beforeEvent();
  assert.deepEqual([over.done, prolonged.done], [["hold"], ["hold"]]);
  await answer();
  assert.deepEqual(
    [over.done, prolonged.done],
    [
      ["hold", "end"],
      ["hold", "release"],
    ],
  );
});

test("a change of an account holds its streams at once, and ends those whose right is gone", async (t) => {
  const { answer, open, rights, standing } = room(t);
  const [ended, other, stranger] = [
    await open("ann", "s1"),
    await open("ann", "s2"),
    await open("bob", "s3"),
  ];
  standing.delete("s1");
  rights.review("ann");
  assert.deepEqual([ended.done, other.done, stranger.done], [["hold"], ["hold"], []]);
  await answer();
  assert.deepEqual(
    [ended.done, other.done],
    [
      ["hold", "end"],
      ["hold", "release"],
    ],
  );
});

test("a change while the database is asked asks it again: it may have answered of before", async (t) => {
  const { answer, open, rights, standing } = room(t);
  const { done } = await open("ann", "s1");
  rights.review("ann");
  standing.delete("s1");
  rights.review("ann");
  await answer();
  assert.deepEqual(done, ["hold", "hold", "end"]);
});

test("a session that runs out ends its stream within a second, and one that was prolonged goes on", async (t) => {
  const { clock, open, pass, standing, state } = room(t);
  const endsAt = clock.now() + 5_500;
  const [over, prolonged] = [await open("ann", "s1", endsAt), await open("ann", "s2", endsAt)];
  const { asked } = state;
  await pass(5);
  assert.deepEqual([over.done, state.asked], [[], asked]);
  standing.delete("s1");
  standing.set("s2", endsAt + 60_000);
  await pass(1);
  assert.deepEqual(over.done, ["hold", "end"]);
  assert.deepEqual(prolonged.done, ["hold", "release"]);
  const before = state.asked;
  await pass(10);
  assert.equal(state.asked, before);
});

test("while nothing is heard every second is looked, and otherwise once a minute", async (t) => {
  const { open, pass, standing, state } = room(t);
  const [first, second] = [await open("ann", "s1"), await open("bob", "s2")];
  const { asked } = state;
  await pass(59);
  assert.equal(state.asked, asked);
  await pass(1);
  assert.equal(state.asked, asked + 1);
  state.isHearing = false;
  standing.delete("s1");
  await pass(1);
  assert.deepEqual([first.done.at(-1), second.done.at(-1)], ["end", "release"]);
});

test("while the database is away nothing ends and nothing is sent to whoever may have lost the right", async (t) => {
  const { answer, open, pass, rights, standing, state } = room(t);
  const [first, second] = [await open("ann", "s1"), await open("ann", "s2")];
  state.isDown = true;
  standing.delete("s1");
  rights.review("ann");
  await answer();
  await pass(3);
  assert.deepEqual([...new Set([...first.done, ...second.done])], ["hold"]);
  state.isDown = false;
  await pass(1);
  assert.deepEqual([first.done.at(-1), second.done.at(-1)], ["end", "release"]);
});

test("a stream that is gone is looked up no more", async (t) => {
  const { open, pass, state, rights, answer } = room(t);
  const { done, leave } = await open("ann", "s1");
  rights.review("ann");
  leave();
  await answer();
  const { asked } = state;
  state.isHearing = false;
  await pass(61);
  assert.deepEqual([done, state.asked], [["hold"], asked]);
});
