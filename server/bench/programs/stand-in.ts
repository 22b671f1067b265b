// Stands in for the server of another project in tests, which therefore need no binary of that project. It imitates only
// the responses that the measurements read. Nothing measures it.
//
// node stand-in.ts BINARY ARGUMENT…: the name of that project's binary, and the arguments that the binary would get
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:http2";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";

type Fields = Readonly<Record<string, unknown>>;
type JsonResponse = readonly [status: number, body: Fields];

const [binary = "", ...args] = process.argv.slice(2);
const { env } = process;
/** The functions that write a message, one for each open stream. */
const messageWriters = new Set<(message: string) => void>();
/** The number of iOS in gorush's API. */
const IOS_PLATFORM = 1;
/** The first byte of an unfragmented text frame (RFC 6455 section 5.2). */
const TEXT_FRAME = 0x81;
/** Announces a length of 16 bits, and is the smallest length that has this form. */
const LENGTH_OF_16_BITS = 126;

const VERSION_COMMANDS: Readonly<Record<string, readonly [flag: string, output: string]>> = {
  ntfy: ["--help", "NAME:\n   ntfy\n\nntfy 0.1.0 (abcdefg), runtime go0, built at today"],
  gotify: ["version", "Version: 0.2.0\nCommit: abcdefg"],
  gorush: ["-V", "GoRush 0.3.0, Commit: abcdefg, Compiler: gc go0"],
  "bark-server": ["--version", "bark-server version v0.4.0 abcdefg today"],
};

const [versionFlag, versionOutput = ""] = VERSION_COMMANDS[binary] ?? [];
if (args[0] === versionFlag) process.stdout.write(`${versionOutput}\n`);
else if (binary === "ntfy") serveNtfy();
else if (binary === "gotify") serveGotify();
else if (binary === "gorush") serveGorush();
else serveBark();

function serveNtfy(): void {
  // `ntfy.ts` writes this file.
  const config = JSON.parse(readFileSync(args[2] ?? "", "utf8")) as Fields;
  const server = serve(
    String(config["listen-http"]),
    ({ url, body: { topic, title, message } }) => {
      if (url !== "/" || !areNonEmptyStrings(topic, title, message))
        return [400, { error: "invalid request" }];
      const stored = { id: "a", event: "message", topic, title, message };
      for (const writeMessage of messageWriters) writeMessage(JSON.stringify(stored));
      return [200, stored];
    },
  );
  server.prependListener("request", ({ url = "" }: IncomingMessage, response: ServerResponse) => {
    if (url.endsWith("/sse")) openEventStream(response);
  });
}

function openEventStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write('event: open\ndata: {"event":"open"}\n\n');
  messageWriters.add((message) => response.write(`data: ${message}\n\n`));
}

function serveGotify(): void {
  const address = `${env["GOTIFY_SERVER_LISTENADDR"]}:${env["GOTIFY_SERVER_PORT"]}`;
  const server = serve(address, ({ url, headers, body: { name: label, title, message } }) => {
    const isAdmin = headers.authorization === `Basic ${btoa("admin:admin")}`;
    const isCreation = url === "/application" || url === "/client";
    if (isCreation)
      return isAdmin && areNonEmptyStrings(label)
        ? [200, { token: `t-${String(label)}` }]
        : [401, {}];
    const isSender = String(headers["x-gotify-key"]).startsWith("t-Application");
    if (!isSender || !areNonEmptyStrings(title, message)) return [400, { error: "Bad Request" }];
    const stored = { id: 1, appid: 1, message, title };
    for (const writeMessage of messageWriters) writeMessage(JSON.stringify(stored));
    return [200, stored];
  });
  server.on("upgrade", ({ url }: IncomingMessage, socket: Duplex) => {
    if (url !== "/stream?token=t-Client") return socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
    socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n");
    return messageWriters.add((message) => socket.write(encodeTextFrame(message)));
  });
}

/** Encodes a text frame of less than 64 kB. Pads a short message with spaces, so that every length takes 16 bits. */
function encodeTextFrame(message: string): Buffer {
  const payload = Buffer.from(message.padEnd(LENGTH_OF_16_BITS));
  const header = Buffer.of(TEXT_FRAME, LENGTH_OF_16_BITS, 0, 0);
  header.writeUInt16BE(payload.length, 2);
  return Buffer.concat([header, payload]);
}

function serveGorush(): void {
  const address = `${env["GORUSH_CORE_ADDRESS"]}:${env["GORUSH_CORE_PORT"]}`;
  serve(address, async ({ url, body }) => {
    // A malformed request fails in these lines.
    const [notification] = (body["notifications"] ?? []) as readonly Fields[];
    const { tokens, platform, title, message } = notification ?? {};
    if (url !== "/api/push" || !areNonEmptyStrings(title, message)) return [400, {}];
    const [token] = tokens as readonly string[]; // The measurement sends a list of strings.
    const host = platform === IOS_PLATFORM ? "api.push.apple.com" : "fcm.googleapis.com";
    const isSent = (await push(host, `/3/device/${token}`)) === 200;
    return [200, { counts: 1, logs: isSent ? [] : [{ type: "failed-push" }], success: "ok" }];
  });
}

function serveBark(): void {
  const tokens = new Map<string, string>();
  serve(args[1] ?? "", async ({ url, body: { device_token, device_key, title, body } }) => {
    if (url === "/register") {
      const key = `key${tokens.size}`;
      tokens.set(key, String(device_token));
      return [200, { code: 200, message: "success", data: { device_key: key, device_token } }];
    }
    const token = tokens.get(String(device_key));
    if (token === undefined || !areNonEmptyStrings(title, body)) return [400, { code: 400 }];
    const status = await push("api.push.apple.com", `/3/device/${token}`);
    return [status, { code: status, message: "success", timestamp: 0 }];
  });
}

interface JsonRequest {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Fields;
}

/** Serves JSON. Every GET that opens no stream is answered with 200, as a health check. */
function serve(
  address: string,
  answer: (request: JsonRequest) => JsonResponse | Promise<JsonResponse>,
): Server {
  const [host, port] = address.split(":");
  const server = createServer((request, response) => {
    const { url, headers, method } = request;
    if (response.headersSent) return;
    const respond = ([status, body]: JsonResponse) => {
      const bytes = JSON.stringify(body);
      response.writeHead(status, { "content-length": Buffer.byteLength(bytes) }).end(bytes);
    };
    if (method === "GET") respond([200, {}]);
    else
      void text(request).then(async (json) =>
        respond(await answer({ url, headers, body: JSON.parse(json) as Fields })),
      );
  });
  server.listen(Number(port), host);
  return server;
}

/** Sends an empty push over HTTP/2 and returns its status. Trusts the certificates in `SSL_CERT_FILE`, as Go programs do. */
async function push(host: string, path: string): Promise<number> {
  const session = connect(`https://${host}`, { ca: readFileSync(env["SSL_CERT_FILE"] ?? "") });
  const stream = session.request({ ":method": "POST", ":path": path }, { endStream: true });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  session.on("error", reject);
  stream.on("error", reject);
  stream.on("response", (headers) => resolve(Number(headers[":status"])));
  const status = await promise;
  session.destroy();
  return status;
}

function areNonEmptyStrings(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string" && value !== "");
}
