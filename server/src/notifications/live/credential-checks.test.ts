import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { TestClock } from "../../../test/support/test-clock.ts";
import { StreamCredentialChecks } from "./credential-checks.ts";

const SECOND_MS = 1_000;

/** Returns credential checks over a scripted database, with streams that record their calls. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const clock = new TestClock();
  const state = { isListening: true, isDown: false, queryCount: 0 };
  const validCredentials = new Map<string, number | null>();
  const pendingQueries: (() => void)[] = [];
  const credentialChecks = new StreamCredentialChecks({
    now: clock.now,
    log: pino({ level: "silent" }),
    isListening: () => state.isListening,
    async findValidCredentials(ids) {
      state.queryCount += 1;
      if (state.isDown) throw new Error("The database is unavailable.");
      const credentials = ids.flatMap((id) => {
        const endsAt = validCredentials.get(id);
        return endsAt === undefined ? [] : [[id, endsAt] as const];
      });
      await new Promise<void>((resolve) => pendingQueries.push(resolve));
      return new Map(credentials);
    },
  });
  /** Answers the pending queries of the database. */
  const answerQueries = async () => {
    for (let count = 0; count < 5; count += 1) {
      for (const resolve of pendingQueries.splice(0)) resolve();
      await nextTurn();
    }
  };
  const open = async (accountId: string, credentialId: string, endsAt: number | null = null) => {
    validCredentials.set(credentialId, endsAt);
    const calls: string[] = [];
    const record = (name: string) => () => void calls.push(name);
    const stream = { pause: record("pause"), resume: record("resume"), end: record("end") };
    const { isValid, beforeEvent, remove } = credentialChecks.add({
      accountId,
      credentialId,
      stream,
    });
    await answerQueries();
    assert.equal(await isValid, true);
    return { calls, beforeEvent, remove };
  };
  const advance = async (seconds: number) => {
    clock.advance(seconds * SECOND_MS);
    for (let count = 0; count < seconds; count += 1) {
      t.mock.timers.tick(SECOND_MS);
      await answerQueries();
    }
  };
  return { clock, state, validCredentials, credentialChecks, answerQueries, open, advance };
}

test("an event after the end of a session waits until the session is checked", async (t) => {
  const { clock, validCredentials, answerQueries, open } = setUp(t);
  const endsAt = clock.now() + SECOND_MS;
  const expiredStream = await open("ann", "expired", endsAt);
  const extendedStream = await open("ben", "extended", endsAt);
  for (const { beforeEvent } of [expiredStream, extendedStream]) beforeEvent();
  assert.deepEqual([expiredStream.calls, extendedStream.calls], [[], []]);
  clock.advance(SECOND_MS);
  validCredentials.delete("expired");
  validCredentials.set("extended", endsAt + SECOND_MS);
  for (const { beforeEvent } of [expiredStream, extendedStream]) beforeEvent();
  assert.deepEqual([expiredStream.calls, extendedStream.calls], [["pause"], ["pause"]]);
  await answerQueries();
  assert.deepEqual(
    [expiredStream.calls, extendedStream.calls],
    [
      ["pause", "end"],
      ["pause", "resume"],
    ],
  );
});

test("a change to an account pauses its streams at once and ends each stream whose credential was revoked", async (t) => {
  const { answerQueries, open, credentialChecks, validCredentials } = setUp(t);
  const endedStream = await open("ann", "s1");
  const otherStream = await open("ann", "s2");
  const otherAccountsStream = await open("bob", "s3");
  validCredentials.delete("s1");
  credentialChecks.review("ann");
  assert.deepEqual(
    [endedStream.calls, otherStream.calls, otherAccountsStream.calls],
    [["pause"], ["pause"], []],
  );
  await answerQueries();
  assert.deepEqual(
    [endedStream.calls, otherStream.calls],
    [
      ["pause", "end"],
      ["pause", "resume"],
    ],
  );
});

test("a change during a check causes a second check, because the first result may be outdated", async (t) => {
  const { answerQueries, open, credentialChecks, validCredentials } = setUp(t);
  const { calls } = await open("ann", "s1");
  credentialChecks.review("ann");
  validCredentials.delete("s1");
  credentialChecks.review("ann");
  await answerQueries();
  assert.deepEqual(calls, ["pause", "pause", "end"]);
});

test("an expired session ends its stream within a second, and an extended one does not", async (t) => {
  const { clock, open, advance, validCredentials, state } = setUp(t);
  const endsAt = clock.now() + 5_500;
  const expiredStream = await open("ann", "s1", endsAt);
  const extendedStream = await open("ann", "s2", endsAt);
  const { queryCount } = state;
  await advance(5);
  assert.deepEqual([expiredStream.calls, state.queryCount], [[], queryCount]);
  validCredentials.delete("s1");
  validCredentials.set("s2", endsAt + 60_000);
  await advance(1);
  assert.deepEqual(expiredStream.calls, ["pause", "end"]);
  assert.deepEqual(extendedStream.calls, ["pause", "resume"]);
  const countBefore = state.queryCount;
  await advance(10);
  assert.equal(state.queryCount, countBefore);
});

test("all streams are checked once a minute, or every second while messages of other nodes may be lost", async (t) => {
  const { open, advance, validCredentials, state } = setUp(t);
  const firstStream = await open("ann", "s1");
  const secondStream = await open("bob", "s2");
  const { queryCount } = state;
  await advance(59);
  assert.equal(state.queryCount, queryCount);
  await advance(1);
  assert.equal(state.queryCount, queryCount + 1);
  state.isListening = false;
  validCredentials.delete("s1");
  await advance(1);
  assert.deepEqual([firstStream.calls.at(-1), secondStream.calls.at(-1)], ["end", "resume"]);
});

test("affected streams stay open but get no events while the database is unavailable", async (t) => {
  const { answerQueries, open, advance, credentialChecks, validCredentials, state } = setUp(t);
  const firstStream = await open("ann", "s1");
  const secondStream = await open("ann", "s2");
  state.isDown = true;
  validCredentials.delete("s1");
  credentialChecks.review("ann");
  await answerQueries();
  await advance(3);
  assert.deepEqual([...new Set([...firstStream.calls, ...secondStream.calls])], ["pause"]);
  state.isDown = false;
  await advance(1);
  assert.deepEqual([firstStream.calls.at(-1), secondStream.calls.at(-1)], ["end", "resume"]);
});

test("a closed stream is no longer checked", async (t) => {
  const { open, advance, state, credentialChecks, answerQueries } = setUp(t);
  const { calls, remove } = await open("ann", "s1");
  credentialChecks.review("ann");
  remove();
  await answerQueries();
  const { queryCount } = state;
  state.isListening = false;
  await advance(61);
  assert.deepEqual([calls, state.queryCount], [["pause"], queryCount]);
});
