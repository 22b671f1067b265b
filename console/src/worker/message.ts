/** What the worker tells the pages that are open. */
export type WorkerMessage =
  /** A notification arrived in this browser; its id is empty and its sound null where it named none. */
  | { readonly kind: "arrived"; readonly id: string; readonly sound: string | null }
  /** A notification was clicked: show this path of the console. */
  | { readonly kind: "open"; readonly path: string }
  /** The browser changed its subscription, and the worker registered the new one. */
  | { readonly kind: "renewed" };

/** What a page tells the worker. */
export type PageMessage =
  /** A worker of a new version that waits: be the one that works, now. */
  { readonly kind: "take-over" };

/** Returns whether a message from a page is that one. */
export function isTakeOver(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("kind" in message)) return false;
  return message.kind === "take-over";
}

/** Returns what a message from the worker says, null where it is none of ours. */
export function parseWorkerMessage(message: unknown): WorkerMessage | null {
  if (typeof message !== "object" || message === null || !("kind" in message)) return null;
  if (message.kind === "renewed") return { kind: message.kind };
  if (message.kind === "arrived") {
    const id = "id" in message && typeof message.id === "string" ? message.id : "";
    const sound = "sound" in message && typeof message.sound === "string" ? message.sound : null;
    return { kind: message.kind, id, sound };
  }
  if (message.kind !== "open" || !("path" in message)) return null;
  return typeof message.path === "string" ? { kind: "open", path: message.path } : null;
}
