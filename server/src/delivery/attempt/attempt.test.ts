import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { createNotification } from "../../../test/support/notifications.ts";
import {
  ScriptedProvider,
  waitForAbort,
  type Script,
} from "../../../test/support/scripted-provider.ts";
import type { Target } from "#devices/device.ts";
import type { Message, Outcome } from "#providers/provider.ts";
import type { NewNotification } from "../delivery.ts";
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
};
const AMBIGUOUS: Outcome = {
  kind: "retry",
  reason: { code: "ambiguous", detail: null },
  afterMs: null,
  isCounted: true,
};

/** Returns a function that runs a scripted attempt, and the lines that it logs. */
function setUp(script: Script, overrides: Partial<NewNotification> = {}) {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  // Later than in any other test of this process, because their log lines count for the interval too.
  const clock = { ms: 1e12 };
  const provider = new ScriptedProvider();
  provider.script("secret/1", script);
  const caller = new AbortController();
  const context = { now: () => 0, newId: () => "n" };
  const notification = createNotification(context, "ann", overrides);
  const input = { provider, notification, waitForPacer: null, target, signal: caller.signal };
  const run = () => attempt({ log, elapsed: () => clock.ms }, input);
  return { run, lines, clock, caller };
}

test("an unexpected error counts as an ambiguous attempt and is logged without the endpoint", async () => {
  const { run, lines } = setUp(() => Promise.reject(new Error("unexpected")));
  assert.deepEqual(await run(), AMBIGUOUS);
  const [line = "", ...more] = lines;
  assert.deepEqual(more, []);
  assert.match(line, /"provider":"webpush","deviceId":"d"/);
  assert.doesNotMatch(line, /secret/);
});

test("an attempt that its caller aborts is ambiguous and not logged", async () => {
  const { run, lines, caller } = setUp(async (_message, signal) => {
    const aborted = waitForAbort(signal);
    caller.abort();
    await aborted;
    throw signal.reason;
  });
  assert.deepEqual(await run(), AMBIGUOUS);
  assert.deepEqual(lines, []);
});

test("an attempt that hangs is aborted after 25 seconds", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { run, lines } = setUp(async (_message, signal) => {
    await waitForAbort(signal);
    throw signal.reason;
  });
  const outcome = run();
  let hasEnded = false;
  void outcome.then(() => (hasEnded = true));
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(24_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasEnded, false);
  // Attempts that begin together share a deadline, which is slightly later.
  t.mock.timers.tick(626);
  assert.deepEqual(await outcome, AMBIGUOUS);
  assert.deepEqual(lines, []);
});

test("a message carries its incident and the alert of its cause, and all attempts share it", async () => {
  const interaction = {
    incidentId: "i",
    promptId: null,
    cause: "acknowledgement",
    actions: [],
    allowsText: false,
  } as const;
  const messages: Message[] = [];
  const { run } = setUp(
    async (message) => {
      messages.push(message);
      return { kind: "accepted", receipt: null };
    },
    { interaction: { ...interaction, isQuiet: false } },
  );
  await run();
  await run();
  assert.deepEqual(messages[0]?.interaction, { ...interaction, alert: "quiet" });
  assert.equal(messages[0], messages[1]);
});

test("a lack of local resources is logged at most once a minute, and another failure is not logged", async () => {
  const reason = { code: "unreachable", detail: "EMFILE" } as const;
  let isLocalFailure = true;
  const { run, lines, clock } = setUp(async () => {
    return {
      kind: "retry",
      reason,
      afterMs: null,
      isCounted: false,
      isLocalFailure,
    };
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
  isLocalFailure = false;
  clock.ms += 60_000;
  await run();
  assert.equal(lines.length, 2);
});
