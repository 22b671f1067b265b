// Started as a process of its own: HTTP/2 that answers every request with 200 as fast as bytes can be counted. It reads no
// fields, and judges nothing: it must not be what a measurement waits for.
//
// node answering-service.ts [plain] [--body=TEXT]     over TLS, or not; every answer has this body, none if not given
import { createServer as createPlainServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { makeCertificate } from "../../test/doubles/certificate.ts";

const PREFACE_BYTES = 24;
const STREAMS_MAX = 1_000;
const WINDOW = 2 ** 30;

const isPlain = process.argv.includes("plain");
const BODY = Buffer.from(
  process.argv.find((arg) => arg.startsWith("--body="))?.slice("--body=".length) ?? "",
);
/** Status 200 alone, or with `content-type: application/json`, not indexed (RFC 7541 section 6.2.2). */
const HEAD = Buffer.from(BODY.length === 0 ? "\x88" : "\x88\x0f\x10\x10application/json", "latin1");
const ANSWER_BYTES = BODY.length === 0 ? 9 + HEAD.length : 18 + HEAD.length + BODY.length;

// Libraries that cannot be told another address reach it by the name that they know.
const { key, cert } = makeCertificate(["127.0.0.1", "fcm.googleapis.com"]);
const server = isPlain
  ? createPlainServer((socket) => serve(socket))
  : createTlsServer({ key, cert, ALPNProtocols: ["h2"] }, (socket) => serve(socket));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It has no port.");
  process.send?.({ origin: `${isPlain ? "http" : "https"}://127.0.0.1:${address.port}`, ca: cert });
});
process.once("disconnect", () => process.exit(0));

/** SETTINGS with room for many streams and bodies, and a window as wide for the connection. */
function greeting(): Buffer {
  const bytes = Buffer.alloc(9 + 12 + 13);
  bytes.writeUInt8(12, 2);
  bytes.writeUInt8(4, 3);
  bytes.writeUInt16BE(3, 9);
  bytes.writeUInt32BE(STREAMS_MAX, 11);
  bytes.writeUInt16BE(4, 15);
  bytes.writeUInt32BE(WINDOW, 17);
  writeWindow(bytes, 21, WINDOW);
  return bytes;
}

function writeWindow(bytes: Buffer, at: number, increment: number): void {
  bytes.writeUInt32BE(0x00_00_04_08, at);
  bytes.writeUInt32BE(0, at + 4);
  bytes.writeUInt8(0, at + 8);
  bytes.writeUInt32BE(increment, at + 9);
}

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.write(greeting());
  let rest = Buffer.alloc(0);
  let skipped = 0;
  let received = 0;
  socket.on("data", (chunk: Buffer) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (skipped === 0) {
      skipped = PREFACE_BYTES;
      bytes = bytes.subarray(PREFACE_BYTES);
    }
    const answers = Buffer.allocUnsafe(
      Math.ceil(bytes.length / 9) * Math.max(17, ANSWER_BYTES) + 64,
    );
    let out = 0;
    let at = 0;
    while (bytes.length - at >= 9) {
      const length = bytes.readUIntBE(at, 3);
      const end = at + 9 + length;
      if (end > bytes.length) break;
      const type = bytes[at + 3] ?? 0;
      const flags = bytes[at + 4] ?? 0;
      if (type === 0) received += length;
      // The end of a request.
      if (type < 2 && (flags & 1) !== 0) out = answer(answers, out, bytes.subarray(at + 5, at + 9));
      else if ((type === 4 || type === 6) && (flags & 1) === 0) {
        out = acknowledge(answers, out, bytes.subarray(at, end));
      }
      at = end;
    }
    rest = Buffer.from(bytes.subarray(at));
    if (received > WINDOW / 2) {
      writeWindow(answers, out, received);
      out += 13;
      received = 0;
    }
    if (out > 0) socket.write(answers.subarray(0, out));
  });
}

/** A head with status 200, and the body where there is one. */
function answer(answers: Buffer, at: number, streamId: Buffer): number {
  let out = answers.writeUIntBE(HEAD.length, at, 3);
  out = answers.writeUInt16BE(BODY.length === 0 ? 0x01_05 : 0x01_04, out);
  out += streamId.copy(answers, out);
  out += HEAD.copy(answers, out);
  if (BODY.length === 0) return out;
  out = answers.writeUIntBE(BODY.length, out, 3);
  out = answers.writeUInt16BE(0x00_01, out);
  out += streamId.copy(answers, out);
  return out + BODY.copy(answers, out);
}

/** SETTINGS are acknowledged without, a PING with what it says. */
function acknowledge(answers: Buffer, out: number, frame: Buffer): number {
  const isPing = frame[3] === 6;
  const copied = frame.copy(answers, out, 0, isPing ? 17 : 9);
  if (!isPing) answers.writeUIntBE(0, out, 3);
  answers.writeUInt8(1, out + 4);
  return out + copied;
}
