import type { LeasedJob } from "../delivery.ts";
import type { HeldLease } from "../worker/held-lease.ts";
import type { DueDevice } from "../worker/triage.ts";

/** One try at one device of a leased job: its waits in queues, and at most one attempt. */
export interface TryInput {
  readonly job: LeasedJob;
  readonly heldLease: HeldLease;
  readonly dueDevice: DueDevice;
  /** Time at which the device was read, on the monotonic clock. */
  readonly readAt: number;
  /**
   * Durably marks the device before its attempt. Resolves with whether the attempt may begin. Null outside quarantine.
   */
  readonly writeMark: (() => Promise<boolean>) | null;
  /** Called once the try no longer delays later tries; safe to repeat. */
  readonly allowNext: () => void;
}
