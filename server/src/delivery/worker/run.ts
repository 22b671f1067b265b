import { tryDevice } from "../attempt/try-device.ts";
import type { LeasedJob } from "../delivery.ts";
import type { RunDeps } from "../deps.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Progress } from "./progress.ts";
import { triageTargets, type Attemptable } from "./triage.ts";
import type { Loaded } from "./load.ts";

/** The run of a leased job. */
export interface Run {
  readonly job: LeasedJob;
  readonly held: HeldLease;
  readonly progress: Progress;
}

/** Notes results that need no push service, and returns the devices to try now. */
export function triageJob(
  deps: RunDeps,
  { job, progress }: Pick<Run, "job" | "progress">,
  { pending, targets }: Pick<Loaded, "pending" | "targets">,
): readonly Attemptable[] {
  const { results, attempts } = triageTargets(deps, {
    notification: job.notification,
    pending,
    targets,
    mayRetry: (wait) => deps.breakers.mayRetry(wait),
  });
  for (const result of results)
    progress.note({ report: { kind: "final", result }, deviceState: null });
  return attempts;
}

/** One try of a run. */
export interface RunTry {
  readonly item: Attemptable;
  /** Time at which the device was read, on the monotonic clock. */
  readonly readAt: number;
  /** Called once the try no longer delays later ones, at its end at the latest; safe to repeat. */
  readonly letNext: () => void;
}

/** Tries one device and notes the result. */
export async function tryAndNote(
  deps: RunDeps,
  { job, held, progress }: Run,
  { item, readAt, letNext }: RunTry,
): Promise<void> {
  try {
    const tried = await tryDevice(deps, { job, held, item, readAt, mark: null, letNext });
    if (tried !== null) progress.note(tried);
  } finally {
    letNext();
  }
}
