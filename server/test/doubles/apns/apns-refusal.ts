/** Why Apple does not take a push: what the sender is answered, and a sentence for the person who debugs. */
export interface ApnsRefusal {
  readonly kind: "refused";
  readonly status: number;
  /** A reason of Apple's table "Handling notification responses from APNs". */
  readonly reason: string;
  /** Never sent. */
  readonly message: string;
  /** Milliseconds since the epoch: with 410 alone, since when the token is known to be dead. */
  readonly timestampMs?: number;
}

/** Returns a refusal of one push. */
export function refuse(status: number, reason: string, message: string): ApnsRefusal {
  return { kind: "refused", status, reason, message };
}
