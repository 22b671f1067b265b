import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import test, { type TestContext } from "node:test";
import type { WebSocket } from "ws";
import { eventually } from "../../test/support/eventually.ts";
import { openRawConnection, readToEnd } from "../../test/support/raw-connection.ts";
import { closeServer } from "./close.ts";

const UPGRADE = [
  "GET /ws?since=1 HTTP/1.1",
  "Host: a",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];
/** The handshake of RFC 6455 section 1.3. */
const ACCEPTED =
  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

function toRequest(lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** The opcodes and bits of a frame (RFC 6455 section 5.2). */
const TEXT = 0x1;
const PING = 0x9;
const FINAL_BIT = 0x80;
const MASK_BIT = 0x80;
/** In place of a length, it means that the length follows in two bytes. */
const LENGTH_FOLLOWS = 126;
const ZERO_MASK = [0, 0, 0, 0];

/** Returns a frame of a client, masked with zeros. */
function toFrame(opcode: number, payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload);
  const length =
    bytes.length < LENGTH_FOLLOWS
      ? [MASK_BIT | bytes.length]
      : [MASK_BIT | LENGTH_FOLLOWS, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([FINAL_BIT | opcode, ...length, ...ZERO_MASK]), bytes]);
}

/** Connects to a server that accepts WebSockets at `/ws`, unless `authenticate` returns false. */
async function connect(t: TestContext, authenticate: () => Promise<boolean> = async () => true) {
  const accepted: WebSocket[] = [];
  const connection = await openRawConnection(t, (server) => {
    server.webSockets.allowAt(/^\/ws$/);
    for (const path of ["/ws", "/other"]) {
      server.get(path, async (request, reply) => {
        if (!server.webSockets.isPending(request)) return { isPlain: true };
        if (!(await authenticate())) return reply.code(403).send({ isRefused: true });
        const webSocket = server.webSockets.accept(request, reply);
        if (webSocket !== null) accepted.push(webSocket);
        return reply;
      });
    }
  });
  connection.socket.on("error", () => {});
  return { ...connection, accepted };
}

async function readUntil(socket: Socket, expected: string): Promise<string> {
  let text = "";
  while (!text.includes(expected)) text += String((await once(socket, "data"))[0]);
  return text;
}

test("a WebSocket is accepted, and frames that follow its request in the same packet are read", async (t) => {
  const { socket, accepted } = await connect(t);
  const bytes = [Buffer.from(toRequest(UPGRADE)), toFrame(PING, "first"), toFrame(PING, "second")];
  socket.write(Buffer.concat(bytes));
  // The second pong: the length of its payload, and the payload.
  const text = await readUntil(socket, "\x06second");
  assert.ok(text.startsWith(ACCEPTED), text);
  assert.match(text, /first[^]*second$/);
  accepted[0]?.send("hello");
  assert.match(await readUntil(socket, "hello"), /hello$/);
});

test("an upgrade that is no WebSocket, or at another path, is a plain request", async (t) => {
  const plainRequests = [
    [
      "GET /ws HTTP/1.1",
      "Host: a",
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
    ],
    UPGRADE.map((line) => line.replace("/ws", "/other")),
    UPGRADE.map((line) => line.replace("Version: 13", "Version: 8")),
    UPGRADE.map((line) => line.replace("ZQ==", "ZQ")),
    UPGRADE.map((line) => line.replace(": websocket", ": h2c, websocket")),
    [...UPGRADE, "Content-Length: 0"],
  ];
  const { socket } = await connect(t);
  for (const lines of plainRequests) {
    // The connection serves one request after another.
    socket.write(toRequest(lines));
    const text = await readUntil(socket, "}");
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*\{"isPlain":true\}$/, lines.join("\n"));
  }
});

test("a refused WebSocket gets a plain response with the headers of every response, and its connection ends", async (t) => {
  const { socket, accepted } = await connect(t, async () => false);
  socket.write(Buffer.concat([Buffer.from(toRequest(UPGRADE)), toFrame(PING, "lost")]));
  const text = await readToEnd(socket);
  assert.match(text, /^HTTP\/1\.1 403 Forbidden\r\n/);
  assert.match(text, /\r\nx-request-id: id\r\n/);
  assert.match(text, /\r\n[Cc]onnection: close\r\n/);
  assert.match(text, /\{"isRefused":true\}$/);
  assert.equal(accepted.length, 0);
});

test("a client that leaves before it is accepted is no error", async (t) => {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<boolean>();
  const { server, socket, accepted } = await connect(t, () => {
    asked.resolve();
    return gate.promise;
  });
  socket.write(toRequest(UPGRADE));
  await asked.promise;
  socket.resetAndDestroy();
  const countConnections = () =>
    new Promise<number>((resolve) => {
      server.server.getConnections((_error, count) => resolve(count));
    });
  assert.equal(await eventually(countConnections, (count) => count === 0), 0);
  gate.resolve(true);
  await gate.promise;
  await new Promise(setImmediate);
  assert.deepEqual(accepted, []);
});

test("a frame with more bytes than a ping can have is an error of the WebSocket", async (t) => {
  const { socket, accepted } = await connect(t);
  socket.write(toRequest(UPGRADE));
  await readUntil(socket, "\r\n\r\n");
  const [webSocket = assert.fail("No WebSocket was accepted.")] = accepted;
  const failed = once(webSocket, "error");
  socket.write(Buffer.concat([toFrame(TEXT, "x".repeat(125)), toFrame(TEXT, "x".repeat(126))]));
  assert.match(String(await failed), /Max payload size exceeded/);
});

test("a stopping server ends WebSockets without a closing handshake, and does not wait for them", async (t) => {
  const { server, socket } = await connect(t);
  socket.write(toRequest(UPGRADE));
  assert.equal(await readUntil(socket, "\r\n\r\n"), ACCEPTED);
  const startedAt = performance.now();
  const rest = readToEnd(socket);
  await closeServer(server, 5_000);
  assert.equal(await rest, "");
  assert.ok(performance.now() - startedAt < 1_000);
});

test("a stopping server does not wait for a WebSocket that is not accepted yet", async (t) => {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<boolean>();
  t.after(() => gate.resolve(true));
  const { server, socket } = await connect(t, () => {
    asked.resolve();
    return gate.promise;
  });
  socket.write(toRequest(UPGRADE));
  await asked.promise;
  const rest = readToEnd(socket);
  await closeServer(server, 5_000);
  assert.equal(await rest, "");
});
