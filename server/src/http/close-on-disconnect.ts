import type { ServerResponse } from "node:http";

/**
 * Closes a response when its reader disconnects, before or after the stream has started. A half-closed connection
 * counts as disconnected.
 */
export function closeOnDisconnect(response: ServerResponse): void {
  const { socket } = response.req;
  const disconnect = () => response.destroy();
  socket.once("end", disconnect);
  response.once("close", () => socket.off("end", disconnect));
}
