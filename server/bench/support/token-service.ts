import { createServer } from "node:http";
import { listenAt } from "./serve-push-service.ts";

const TOKEN_RESPONSE = {
  access_token: "a-token-for-a-measurement",
  expires_in: 3_600,
  token_type: "Bearer",
};

/**
 * Starts a service that returns an access token to every caller. Returns its URL. The service does not keep the process
 * alive.
 */
export async function startTokenService(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(TOKEN_RESPONSE));
  });
  const origin = await listenAt(server, "http");
  server.unref();
  return `${origin}/token`;
}
