/** A message to an app for iPhones, which keeps no connection. */
export interface Wake {
  /** The app's own topic. */
  readonly topic: string;
  readonly notificationId: string;
}

/** The result of a request to wake a phone. */
export interface WakeResult {
  /** The host that was asked. */
  readonly host: string;
  /** Null if the host accepted the request; otherwise the reason, for people. */
  readonly problem: string | null;
}

/** Asks the service that reaches an app for iPhones to wake it. Never rejects. Ends early if the signal aborts. */
export type Waker = (wake: Wake, signal: AbortSignal) => Promise<WakeResult>;
