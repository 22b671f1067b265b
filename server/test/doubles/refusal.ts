/** Why a push service does not take a message; `errno` is Mozilla's number for the same thing. */
export interface Refusal {
  readonly kind: "refused";
  readonly status: number;
  readonly errno: number;
  readonly message: string;
}

/** Returns a refusal with this status, Mozilla's errno and a sentence for the person who debugs. */
export function refuse(status: number, errno: number, message: string): Refusal {
  return { kind: "refused", status, errno, message };
}
