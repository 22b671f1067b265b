import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test from "node:test";
import { openRawConnection, readToEnd } from "../../test/support/raw-connection.ts";
import type { Server } from "./server.ts";

const LAST_REQUEST = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Returns routes that count concurrent requests. Each request waits for `during`. */
function countRequests(during: (url: string) => Promise<void> = nextTurn) {
  const seen: string[] = [];
  let underWay = 0;
  let maximum = 0;
  const register = (server: Server) => {
    server.all("/*", async ({ url, body }) => {
      seen.push(url);
      underWay += 1;
      maximum = Math.max(maximum, underWay);
      await during(url);
      underWay -= 1;
      return { url, body };
    });
  };
  return { register, seen, maximum: () => maximum };
}

function requestFor(url: string, extraHeaders = ""): string {
  return `GET ${url} HTTP/1.1\r\nHost: a\r\n${extraHeaders}\r\n`;
}

function parseUrls(text: string): readonly string[] {
  return Array.from(text.matchAll(/"url":"([^"]*)"/g), ([, url = ""]) => url);
}

test("pipelined requests run one after the other and are answered in order", async (t) => {
  const { register, maximum } = countRequests();
  const { socket } = await openRawConnection(t, register);
  const urls = Array.from({ length: 1_500 }, (_, index) => `/${index}`);
  socket.write(urls.map((url) => requestFor(url)).join("") + LAST_REQUEST);
  assert.deepEqual(parseUrls(await readToEnd(socket)), [...urls, "/last"]);
  assert.equal(maximum(), 1);
});

test("requests after a slow one are not started, and soon not even read", async (t) => {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { register, seen } = countRequests(async (url) => {
    if (url !== "/slow") return;
    started.resolve();
    await gate.promise;
  });
  const { server, port, socket } = await openRawConnection(t, register);
  const read = once(server.server, "connection");
  const other = connect({ host: "127.0.0.1", port });
  const [accepted] = await read;
  socket.destroy();
  other.write(requestFor("/slow") + requestFor("/quick").repeat(100_000) + LAST_REQUEST);
  await started.promise;
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  assert.deepEqual(seen, ["/slow"]);
  assert.ok(accepted.bytesRead < 500_000, `${accepted.bytesRead} bytes were read`);
  other.destroy();
  gate.resolve();
});

test("no further request starts while the client reads no responses", async (t) => {
  const seen: string[] = [];
  const { socket } = await openRawConnection(t, (server) => {
    server.get("/*", async ({ url }) => {
      seen.push(url);
      return { text: "a".repeat(8_000_000) };
    });
  });
  socket.pause().write(requestFor("/large").repeat(1_500));
  while (seen.length === 0) await nextTurn();
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
  assert.ok(seen.length <= 2, `${seen.length} answers were made`);
});

const JSON_BODY = JSON.stringify({ text: "a" });
/** Blank lines inside the JSON, which do not end the body. */
const WITH_BLANK_LINES = `{\r\n\r\n"text":\r\n\r\n"b"\r\n\r\n}`;
const POST_HEADERS = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

test("every kind of body is delimited correctly, in pieces of any size", async (t) => {
  const requests = [
    `${POST_HEADERS}Content-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}`,
    requestFor("/get"),
    `${POST_HEADERS}Content-Length: ${WITH_BLANK_LINES.length}\r\n\r\n${WITH_BLANK_LINES}`,
    `${POST_HEADERS}Transfer-Encoding: chunked\r\n\r\n4\r\n{"te\r\n8\r\nxt":"c"}\r\n0\r\n\r\n`,
    `${POST_HEADERS}Transfer-Encoding: chunked\r\n\r\n6\r\n{"text\r\n6\r\n":"d"}\r\n0\r\nX-Trailer: e\r\n\r\n`,
    `${POST_HEADERS}Expect: 100-continue\r\nContent-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}`,
    requestFor("/upgraded", "Connection: Upgrade\r\nUpgrade: h2c\r\n"),
  ];
  const bytes = Buffer.from(requests.join("") + LAST_REQUEST);
  for (const size of [1, 3, 50, bytes.length]) {
    const { register, maximum } = countRequests();
    const { socket } = await openRawConnection(t, register);
    socket.setNoDelay(true);
    for (let offset = 0; offset < bytes.length; offset += size) {
      socket.write(bytes.subarray(offset, offset + size));
      await nextTurn();
    }
    const text = await readToEnd(socket);
    const urls = ["/body", "/get", "/body", "/body", "/body", "/body", "/upgraded", "/last"];
    assert.deepEqual(parseUrls(text), urls, `in pieces of ${size}`);
    const bodyTexts = Array.from(text.matchAll(/"text":"(\w)"/g), ([, bodyText]) => bodyText);
    assert.deepEqual(bodyTexts, ["a", "b", "c", "d", "a"]);
    assert.equal(maximum(), 1);
  }
});

test("a malformed request or a tunnel is refused after the earlier responses", async (t) => {
  for (const bad of ["GET  / /\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"]) {
    const { register } = countRequests();
    const { socket } = await openRawConnection(t, register);
    socket.write(requestFor("/one") + requestFor("/two") + bad + requestFor("/never"));
    const text = await readToEnd(socket);
    assert.deepEqual(parseUrls(text), ["/one", "/two"], bad);
    assert.equal(text.match(/HTTP\/1\.1 400 /g)?.length, 1, bad);
  }
});

test("other connections are answered while one has a thousand pending requests", async (t) => {
  const { register, seen } = countRequests(async () => {});
  const { port, socket } = await openRawConnection(t, register);
  socket.resume().write(requestFor("/many").repeat(1_500));
  while (seen.length === 0) await nextTurn();
  await (await fetch(`http://127.0.0.1:${port}/other`)).text();
  const before = seen.indexOf("/other");
  assert.ok(before < 1_000, `${before} were answered before`);
});
