import { tryDevice } from "../attempt/try-device.ts";
import { getReportedDeviceState } from "../attempt/try-result.ts";
import { isPushServiceWait, type LeasedJob } from "../delivery.ts";
import type { RunDeps } from "../deps.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Progress } from "./progress.ts";
import { triageTargets, type DueDevice } from "./triage.ts";
import type { LoadedDevices } from "./load-devices.ts";

/** The run of a leased job. */
export interface Run {
  readonly job: LeasedJob;
  readonly heldLease: HeldLease;
  readonly progress: Progress;
}

/** Records results that need no push service, and returns the devices to try now. */
export function triageJob(
  deps: RunDeps,
  { job, progress }: Pick<Run, "job" | "progress">,
  {
    pending,
    targets,
    fetched,
    hasAct,
  }: Pick<LoadedDevices, "pending" | "targets" | "fetched" | "hasAct">,
): readonly DueDevice[] {
  const { results, dueDevices } = triageTargets(deps, {
    notification: job.notification,
    pending,
    targets,
    fetched,
    mayRetry: (wait) => (isPushServiceWait(wait) ? deps.breakers.mayRetry(wait) : hasAct),
  });
  for (const result of results) {
    const report = { kind: "final", result } as const;
    const hasFetched = result.state === "accepted";
    progress.addResult({ report, deviceState: hasFetched ? getReportedDeviceState(report) : null });
  }
  return dueDevices;
}

/** One try of a run. */
export interface RunTry {
  readonly dueDevice: DueDevice;
  /** Time at which the device was read, on the monotonic clock. */
  readonly readAt: number;
  /** Called once the try no longer delays later tries, at the end of the try at the latest; safe to repeat. */
  readonly allowNext: () => void;
}

/** Tries one device and records the result. */
export async function tryAndRecord(
  deps: RunDeps,
  { job, heldLease, progress }: Run,
  { dueDevice, readAt, allowNext }: RunTry,
): Promise<void> {
  try {
    const result = await tryDevice(deps, {
      job,
      heldLease,
      dueDevice,
      readAt,
      writeMark: null,
      allowNext,
    });
    if (result !== null) progress.addResult(result);
  } finally {
    allowNext();
  }
}
