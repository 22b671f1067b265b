/** What the frame of a picture tells the page around it. */
export type FrameMessage =
  /** The picture is there, of this size in pixels. */
  | { readonly kind: "shown"; readonly width: number; readonly height: number }
  /** Its host did not give it. */
  | { readonly kind: "failed" };

/** Returns what a message from the frame says, null where it is none of ours. */
export function parseFrameMessage(message: unknown): FrameMessage | null {
  if (typeof message !== "object" || message === null || !("kind" in message)) return null;
  if (message.kind === "failed") return { kind: message.kind };
  if (message.kind !== "shown" || !("width" in message) || !("height" in message)) return null;
  const { width, height } = message;
  const isSize = typeof width === "number" && typeof height === "number" && width > 0 && height > 0;
  return isSize ? { kind: "shown", width, height } : null;
}
