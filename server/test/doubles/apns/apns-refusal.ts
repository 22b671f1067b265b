/** Apple's refusal of a push: the response to the sender, and a message for debugging. */
export interface ApnsRefusal {
  readonly kind: "refused";
  readonly status: number;
  /** A reason of Apple's table "Handling notification responses from APNs". */
  readonly reason: string;
  /** For debugging; never sent. */
  readonly message: string;
  /** Only with 410: when the token became invalid, in milliseconds since the epoch. */
  readonly timestampMs?: number;
}

/** Returns a refusal of one push. */
export function refuse(status: number, reason: string, message: string): ApnsRefusal {
  return { kind: "refused", status, reason, message };
}
