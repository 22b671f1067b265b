/** A push service's refusal of a message. `errno` is Mozilla's error number; 0 if Mozilla defines none. */
export interface Refusal {
  readonly kind: "refused";
  readonly status: number;
  readonly errno: number;
  readonly message: string;
}

/** Returns a refusal with a status, Mozilla's errno and a message for debugging. */
export function createRefusal(status: number, errno: number, message: string): Refusal {
  return { kind: "refused", status, errno, message };
}
