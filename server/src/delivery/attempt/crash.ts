import type { Target } from "#devices/device.ts";
import type { LeasedJob, PendingDevice } from "../delivery.ts";
import { problemOf } from "../explain.ts";
import { withAttempt } from "../history.ts";
import type { AttemptDeps } from "../deps.ts";
import type { ProcessEnd } from "../solo/solo-process.ts";
import type { Report } from "../result/watch.ts";

/** An attempt came to nothing but the end of the process that was made for it. */
export interface Crash {
  readonly kind: "crashed";
  readonly end: ProcessEnd;
}

/** The first may be an accident of the machine; the second is no accident. */
const DEATHS_MAX = 2;
const AGAIN_MS = 10_000;

export interface CrashInput {
  readonly job: LeasedJob;
  readonly target: Target;
  /** How the device stood before the attempt. */
  readonly before: PendingDevice;
  readonly crash: Crash;
}

/** Returns what becomes of a device whose attempt ended its process, and tells the operator. */
export function noteCrash(deps: AttemptDeps, input: CrashInput): Report {
  const { job, target, crash } = input;
  const { deviceId, provider } = target;
  const report = reportOf(deps, input);
  const { id: notificationId } = job.notification;
  const facts = { notificationId, deviceId, provider, ...crash.end };
  const isGivenUp = report.kind === "final" && report.result.code === "crashed";
  if (isGivenUp) deps.log.error(facts, GIVEN_UP);
  else deps.log.warn(facts, "an attempt ended its process");
  return report;
}

const GIVEN_UP =
  "an attempt ended its process again, and is not made any more; this is a fault of the server or of this machine";

function reportOf({ now, random, isInDoubt }: AttemptDeps, input: CrashInput): Report {
  const { job, before } = input;
  const { deviceId, history } = before;
  const at = now();
  const deaths = before.deaths + 1;
  const attempts = before.attempts + 1;
  const later = Math.round(at + AGAIN_MS * (1 + 0.2 * random()));
  const isOver = later >= job.notification.expiresAt;
  const isTooLate = isOver && !isInDoubt(job.notification, later);
  const isAgain = deaths < DEATHS_MAX && !isTooLate;
  const said = { code: "crashed", detail: detailOf(input.crash.end) } as const;
  const attempt = { kind: "retry", at, ...said, nextAt: isAgain ? later : null } as const;
  const told = { deviceId, attempts, history: withAttempt(history, attempt) };
  if (isAgain) {
    const wait = { tries: before.tries + 1, deaths, runAt: later, waitsFor: null };
    return { kind: "pending", pending: { ...told, ...wait, ...said } };
  }
  const { provider } = input.target;
  // Once may be an accident: then it is only time that ran out.
  const end =
    deaths < DEATHS_MAX
      ? ({ state: "expired", code: "expired", detail: problemOf({ provider, ...said }) } as const)
      : ({ state: "failed", ...said } as const);
  return { kind: "final", result: { ...told, provider, at, ...end } };
}

/** Such as `SIGABRT`, or `exit code 1`. */
function detailOf({ exitCode, signal }: ProcessEnd): string {
  return signal ?? `exit code ${exitCode}`;
}
