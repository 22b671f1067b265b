/** Apple's refusal of a push: the response to the sender, and a message for debugging. */
export interface ApnsRefusal {
  readonly kind: "refused";
  readonly status: number;
  /** A reason of Apple's table "Handling notification responses from APNs". */
  readonly reason: string;
  /** For debugging; never sent. */
  readonly message: string;
  /** The time at which the token became invalid, in milliseconds since the epoch. Only with status 410. */
  readonly timestampMs?: number;
}

/** Creates a refusal without a timestamp. */
export function createApnsRefusal(status: number, reason: string, message: string): ApnsRefusal {
  return { kind: "refused", status, reason, message };
}
