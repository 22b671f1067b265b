/**
 * The parts of a notification that only the apps of other services can show, unchanged. They are stored with the
 * notification.
 */
export interface Extras {
  /** 1 (lowest) to 5, as ntfy counts. */
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly icon?: string;
  readonly actions?: readonly object[];
  readonly markdown?: boolean;
  readonly attachment?: { readonly url: string; readonly name?: string };
  readonly sequenceId?: string;
  readonly gotify?: { readonly priority?: number; readonly extras?: object };
}

/** Maximum size of stored extras, in bytes. */
export const EXTRAS_MAX_BYTES = 8 * 1024;

/** The parts in the order in which they are left out of extras that are too large: the least important first. */
const LEFT_OUT_FIRST = ["gotify", "actions", "attachment", "tags", "icon"] as const;

/** Returns extras as JSON of at most `EXTRAS_MAX_BYTES`, without the parts that do not fit; null if there is none. */
export function encodeExtras(extras: Extras): string | null {
  let fitting: Extras = extras;
  for (const name of [null, ...LEFT_OUT_FIRST]) {
    if (name !== null) fitting = { ...fitting, [name]: undefined };
    // JSON leaves out members that are undefined.
    const text = JSON.stringify(fitting);
    if (text === "{}") return null;
    if (Buffer.byteLength(text) <= EXTRAS_MAX_BYTES) return text;
  }
  return null;
}

/** Returns the parts in stored extras. */
export function decodeExtras(text: string | null): Extras {
  return text === null ? {} : (JSON.parse(text) as Extras); // Only `encodeExtras` writes it.
}
