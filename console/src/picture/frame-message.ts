/** A message from a picture's frame to the page around it. */
export type FrameMessage =
  /** The picture has loaded. Its size is in pixels. */
  | { readonly kind: "shown"; readonly width: number; readonly height: number }
  /** The picture failed to load. */
  | { readonly kind: "failed" };

/** Returns a parsed message from the frame; null for any other message. */
export function parseFrameMessage(message: unknown): FrameMessage | null {
  if (typeof message !== "object" || message === null || !("kind" in message)) return null;
  if (message.kind === "failed") return { kind: message.kind };
  if (message.kind !== "shown" || !("width" in message) || !("height" in message)) return null;
  const { width, height } = message;
  const isSize = typeof width === "number" && typeof height === "number" && width > 0 && height > 0;
  return isSize ? { kind: "shown", width, height } : null;
}
