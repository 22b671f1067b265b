import { createServer } from "node:http";
import { openOrigin } from "./serving.ts";

const TOKEN = {
  access_token: "a-token-for-a-measurement",
  expires_in: 3_600,
  token_type: "Bearer",
};

/** Starts a service that gives everybody an access token, and returns its address; it does not keep the process alive. */
export async function startTokenService(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(TOKEN));
  });
  const origin = await openOrigin(server, "http");
  server.unref();
  return `${origin}/token`;
}
