import type { ServerResponse } from "node:http";

/**
 * A double's behaviour for one request instead of its verdict. The request is still validated and logged.
 * `after` delays everything until the test resolves it.
 */
export type PushScript = { readonly after?: Promise<unknown> } & (
  | { readonly kind: "verdict" }
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** `delivers` passes a valid message to the device first, so that the sender cannot know that it arrived. */
  | {
      readonly kind: "reset-connection";
      readonly when: "before-headers" | "after-headers";
      readonly delivers?: boolean;
    }
  | { readonly kind: "hang" }
);

/** Cuts the connection with a TCP reset. After the headers, the sender has received 201 but not the end of the response. */
export function cutConnection(
  response: ServerResponse,
  when: "before-headers" | "after-headers",
): void {
  const { socket } = response;
  if (socket === null) return;
  if (when === "before-headers") {
    socket.resetAndDestroy();
    return;
  }
  response.writeHead(201, { "content-length": "64" });
  response.write("{", () => socket.resetAndDestroy());
}
