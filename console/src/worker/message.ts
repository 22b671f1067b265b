/** A message from the worker to the open pages. */
export type WorkerMessage =
  /** A notification arrived in this browser. The id is empty, and the sound null, if the notification has none. */
  | { readonly kind: "arrived"; readonly id: string; readonly sound: string | null }
  /** A notification was clicked, and the page must show this path. */
  | { readonly kind: "open"; readonly path: string }
  /** The browser renewed its subscription, and the worker registered the new one. */
  | { readonly kind: "renewed" };

/** A message from a page to the worker. */
export type PageMessage =
  /** Tells a waiting worker of a new version to take over immediately. */
  { readonly kind: "take-over" };

/** Returns whether a message from a page is `take-over`. */
export function isTakeOverMessage(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("kind" in message)) return false;
  return message.kind === "take-over";
}

/** Returns a parsed message from the worker; null for any other message. */
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
