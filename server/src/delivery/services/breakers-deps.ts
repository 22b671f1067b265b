import type { Admission, BreakerChange } from "./breaker.ts";
import type { Hold } from "./hold.ts";

/** The change of a service to held, suspected or released. */
export interface ServiceChange {
  /** The name from `Provider.getServiceName`. */
  readonly service: string;
  readonly kind: BreakerChange;
  /** The hold or the suspicion that begins or ends. */
  readonly hold: Hold;
}

/** The clocks of the breakers, and the listeners for changes of services. */
export interface BreakersDeps {
  /** The wall clock, in milliseconds since the epoch, for times that leave `Breakers`. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds, for the times inside the breakers. */
  readonly elapsed: () => number;
  /** Identifies this process; never reused. */
  readonly nodeId: string;
  /** Must not throw. */
  readonly onChange: (change: ServiceChange) => void;
  /**
   * Called when the jobs that wait for a service may run, with the highest rate at which the service accepted messages;
   * must not throw.
   */
  readonly onReleased: (service: string, usualPerSecond: number) => void;
}

/** The decision about a message, with the epoch of the service at that time. */
export type ServiceAdmission = Admission & { readonly epoch: string };
