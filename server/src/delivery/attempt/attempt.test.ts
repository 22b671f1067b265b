import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { notificationTo } from "../../../test/support/notifications.ts";
import {
  ScriptedProvider,
  untilAborted,
  type Script,
} from "../../../test/support/scripted-provider.ts";
import type { Target } from "#devices/device.ts";
import type { Outcome } from "#providers/provider.ts";
import { attempt } from "./attempt.ts";

const target: Target = {
  deviceId: "d",
  accountId: "ann",
  provider: "webpush",
  address: { provider: "webpush", endpoint: "secret/1", keys: { p256dh: "", auth: "" } },
  name: "Phone",
  registeredAt: 0,
  pausedAt: null,
  suspectAt: null,
  position: "ann/d",
};
const AMBIGUOUS: Outcome = {
  kind: "retry",
  reason: { code: "ambiguous", detail: null },
  afterMs: null,
  counted: true,
};

/** Attempts that do as a script says, and the lines that they log. */
function stage(script: Script) {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  // Later than in any other test of this process, whose lines count as well.
  const clock = { ms: 1e12 };
  const provider = new ScriptedProvider();
  provider.script("secret/1", script);
  const caller = new AbortController();
  const notification = notificationTo({ now: () => 0, newId: () => "n" }, "ann");
  const input = { provider, notification, turn: null, target, signal: caller.signal };
  const run = () => attempt({ log, elapsed: () => clock.ms }, input);
  return { run, lines, clock, caller };
}

test("an accident of ours counts as an attempt that may have arrived, and is logged without the address", async () => {
  const { run, lines } = stage(() => Promise.reject(new Error("a fault of ours")));
  assert.deepEqual(await run(), AMBIGUOUS);
  const [line = "", ...more] = lines;
  assert.deepEqual(more, []);
  assert.match(line, /"provider":"webpush","deviceId":"d"/);
  assert.doesNotMatch(line, /secret/);
});

test("an attempt that its caller aborts may have arrived, and is no accident", async () => {
  const { run, lines, caller } = stage(async (_message, signal) => {
    const aborted = untilAborted(signal);
    caller.abort();
    await aborted;
    throw signal.reason;
  });
  assert.deepEqual(await run(), AMBIGUOUS);
  assert.deepEqual(lines, []);
});

test("an attempt that hangs is aborted after 25 seconds", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { run, lines } = stage(async (_message, signal) => {
    await untilAborted(signal);
    throw signal.reason;
  });
  const outcome = run();
  let isOver = false;
  void outcome.then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(24_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  // Attempts that begin together share a deadline, and have a little more.
  t.mock.timers.tick(626);
  assert.deepEqual(await outcome, AMBIGUOUS);
  assert.deepEqual(lines, []);
});

test("the operator is told once a minute that this server lacks something of its own", async () => {
  const reason = { code: "unreachable", detail: "EMFILE" } as const;
  let isOurs = true;
  const { run, lines, clock } = stage(async () => {
    return { kind: "retry", reason, afterMs: null, counted: false, isOurs };
  });
  await run();
  await run();
  clock.ms += 59_999;
  await run();
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /"reason":"EMFILE".*LimitNOFILE/);
  clock.ms += 1;
  await run();
  assert.equal(lines.length, 2);
  isOurs = false;
  clock.ms += 60_000;
  await run();
  assert.equal(lines.length, 2);
});
