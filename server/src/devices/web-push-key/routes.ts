import { Type } from "#schema/json-schema.ts";
import type { Server } from "#http/server.ts";

/** Registers the operation that returns the public key that browsers subscribe with. It needs no session. */
export function registerWebPushKeyRoute(server: Server, publicKey: string): void {
  server.get(
    "/api/app/v1/webpush/key",
    {
      schema: {
        operationId: "webPushKey",
        summary: "The server's VAPID public key, base64url",
        tags: ["Devices"],
        security: [],
        response: { 200: Type.Object({ publicKey: Type.String() }) },
      },
    },
    async () => ({ publicKey }),
  );
}
