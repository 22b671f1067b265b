import { createServer } from "node:http";

const TOKEN = {
  access_token: "a-token-for-a-measurement",
  expires_in: 3_600,
  token_type: "Bearer",
};

/** Starts what gives everybody an access token, and returns its address; it does not keep the process alive. */
export async function startTokenService(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(TOKEN));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  server.unref();
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It has no port.");
  return `http://127.0.0.1:${address.port}/token`;
}
