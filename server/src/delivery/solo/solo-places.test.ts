import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { SOLO_ENTRY } from "../../../test/support/delivery-bench.ts";
import { messageWith } from "../../../test/support/push-message.ts";
import { ScriptedProvider } from "../../../test/support/scripted-provider.ts";
import type { ScriptedSettings } from "../../../test/support/solo-scripted.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Outcome } from "#providers/provider.ts";
import { SoloPlaces } from "./solo-places.ts";
import { AttemptCrashedError } from "./solo-process.ts";
import { startOwnTime } from "../../../test/support/own-time.ts";

const MESSAGE = messageWith({ notificationId: "n1", createdAt: 0, expiresAt: 86_400_000 });
const NEVER = new AbortController().signal;
const NOW = Date.UTC(2031, 0, 1);

async function startPlaces(t: TestContext, settings: Partial<ScriptedSettings> = {}) {
  const arrivals = join(await temporaryFolder(t), "arrivals");
  await writeFile(arrivals, "");
  const given: ScriptedSettings = { arrivals, ...settings };
  let moment = NOW;
  const places = new SoloPlaces({
    entry: SOLO_ENTRY,
    settings: () => given,
    now: () => moment,
    elapsed: () => performance.now(),
    log: pino({ level: "silent" }),
  });
  t.after(() => places.close());
  return {
    places,
    advance: (ms: number) => {
      moment += ms;
    },
    send: (endpoint: string, input: { isSuspected?: boolean; signal?: AbortSignal } = {}) =>
      send(places, endpoint, input),
    /** The processes that made attempts, in the order of these. */
    pids: async () => {
      const lines = (await readFile(arrivals, "utf8")).trim().split("\n");
      return lines.map((line) => Number(line.split(" ")[0]));
    },
  };
}

async function send(
  places: SoloPlaces,
  endpoint: string,
  { isSuspected = false, signal = NEVER }: { isSuspected?: boolean; signal?: AbortSignal },
): Promise<Outcome | null> {
  const address = { provider: "webpush", endpoint, keys: { p256dh: "", auth: "" } } as const;
  let outcome: Outcome | null = null;
  await places.use(isSuspected, async (instead) => {
    outcome = await instead(new ScriptedProvider()).send(MESSAGE, address, signal);
  });
  return outcome;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function gone(pid: number | undefined): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (pid === undefined || !isAlive(pid)) return;
    await wait(25);
  }
  throw new Error("The process does not end.");
}

test("attempts are made in another process, one and the same, by the clock that rules here", async (t) => {
  const { send, pids } = await startPlaces(t);
  assert.deepEqual(await send("good"), { kind: "accepted", receipt: null });
  const told = await send("clock");
  assert.ok(told?.kind === "accepted" && told.receipt !== null);
  const offMs = Date.parse(told.receipt) - NOW;
  assert.ok(offMs >= 0 && offMs < 5_000, `${offMs} ms off`);
  const [first, second] = await pids();
  assert.notEqual(first, process.pid);
  assert.equal(first, second);
});

for (const [endpoint, end] of [
  ["abort", { exitCode: null, signal: "SIGABRT", where: null }],
  ["exit", { exitCode: 0, signal: null, where: null }],
] as const) {
  test(`an attempt that ends its process by ${endpoint} is known by it`, async (t) => {
    const { send, pids } = await startPlaces(t);
    await assert.rejects(send(endpoint), (error) => {
      assert.ok(error instanceof AttemptCrashedError);
      assert.deepEqual(error.end, end);
      return true;
    });
    assert.equal((await send("good"))?.kind, "accepted");
    const [first, second] = await pids();
    assert.notEqual(first, second);
  });
}

test("an error that nobody caught says where it was, and nothing of what was sent", async (t) => {
  const { send } = await startPlaces(t);
  await assert.rejects(send("uncaught"), (error) => {
    assert.ok(error instanceof AttemptCrashedError);
    assert.match(error.end.where ?? "", /^TypeError at .*solo-scripted\.ts/);
    assert.doesNotMatch(JSON.stringify(error.end), /secret/);
    return true;
  });
});

test("a provider that throws there rejects here, and its process goes on", async (t) => {
  const { send, pids } = await startPlaces(t);
  await assert.rejects(send("throws"), /a fault of ours/);
  await send("good");
  const [first, second] = await pids();
  assert.equal(first, second);
});

for (const endpoint of ["deaf", "spin"]) {
  test(`an attempt that is given up and hangs (${endpoint}) is ended, which is no crash`, async (t) => {
    const { send, pids } = await startPlaces(t);
    await send("good");
    const given = AbortSignal.timeout(300);
    await assert.rejects(
      send(endpoint, { signal: given }),
      (error) => !(error instanceof AttemptCrashedError),
    );
    const [pid] = await pids();
    await gone(pid);
    assert.equal((await send("good"))?.kind, "accepted");
  });
}

test("a suspect has a process for itself, before and after", async (t) => {
  const { send, pids } = await startPlaces(t);
  for (const isSuspected of [false, true, false, false]) await send("good", { isSuspected });
  const [one, suspected, two, three] = await pids();
  assert.equal(new Set([one, suspected, two]).size, 3);
  assert.equal(two, three);
});

test("a process that ends while it has nothing to do is nobody's crash", async (t) => {
  const { send, pids } = await startPlaces(t);
  await send("late");
  const [pid] = await pids();
  await gone(pid);
  assert.equal((await send("good"))?.kind, "accepted");
});

test("where no process comes up, the attempt is no failure of its device, and no other is started for a while", async (t) => {
  const { send, advance, pids } = await startPlaces(t, { isBroken: true });
  const outcome = await send("good");
  assert.ok(outcome?.kind === "retry");
  assert.deepEqual([outcome.counted, outcome.isNoSign], [false, true]);
  const ownMs = startOwnTime();
  for (let round = 0; round < 20; round += 1) await send("good");
  assert.ok(ownMs() < 100);
  advance(5_000);
  assert.equal((await send("good"))?.kind, "retry");
  assert.deepEqual(await pids(), [0]);
});

test("who waits in line when places are refused is let go, and no process is left", async (t) => {
  const { places, send, pids } = await startPlaces(t);
  await send("good");
  const sent = Array.from({ length: 6 }, () => send("slow"));
  places.refuse();
  const outcomes = await Promise.all(sent);
  assert.equal(outcomes.filter((outcome) => outcome !== null).length, 2);
  await places.close();
  for (const pid of await pids()) assert.equal(isAlive(pid), false);
});

test("a process that has nothing to do is ended", async (t) => {
  const { send, pids } = await startPlaces(t);
  await send("good");
  const [pid] = await pids();
  await gone(pid);
});
