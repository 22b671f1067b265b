import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test from "node:test";
import { openRawConnection, readToEnd } from "../../test/support/raw-connection.ts";
import type { Server } from "./server.ts";

const LAST_REQUEST = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Returns routes that count concurrent requests. Each request waits for `handle`. */
function countRequests(handle: (url: string) => Promise<void> = nextTurn) {
  const startedUrls: string[] = [];
  let runningCount = 0;
  let maximum = 0;
  const register = (server: Server) => {
    server.all("/*", async ({ url, body }) => {
      startedUrls.push(url);
      runningCount += 1;
      maximum = Math.max(maximum, runningCount);
      await handle(url);
      runningCount -= 1;
      return { url, body };
    });
  };
  return { register, startedUrls, maximum: () => maximum };
}

function formatRequest(url: string, extraHeaders = ""): string {
  return `GET ${url} HTTP/1.1\r\nHost: a\r\n${extraHeaders}\r\n`;
}

function parseUrls(text: string): readonly string[] {
  return Array.from(text.matchAll(/"url":"([^"]*)"/g), ([, url = ""]) => url);
}

test("pipelined requests run one after the other and are answered in order", async (t) => {
  const { register, maximum } = countRequests();
  const { socket } = await openRawConnection(t, register);
  const urls = Array.from({ length: 1_500 }, (_, index) => `/${index}`);
  socket.write(urls.map((url) => formatRequest(url)).join("") + LAST_REQUEST);
  assert.deepEqual(parseUrls(await readToEnd(socket)), [...urls, "/last"]);
  assert.equal(maximum(), 1);
});

test("requests after a slow one are not started, and soon not even read", async (t) => {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { register, startedUrls } = countRequests(async (url) => {
    if (url !== "/slow") return;
    started.resolve();
    await gate.promise;
  });
  const { server, port, socket } = await openRawConnection(t, register);
  const connected = once(server.server, "connection");
  const otherSocket = connect({ host: "127.0.0.1", port });
  const [serverSocket] = await connected;
  socket.destroy();
  otherSocket.write(
    formatRequest("/slow") + formatRequest("/quick").repeat(100_000) + LAST_REQUEST,
  );
  await started.promise;
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  assert.deepEqual(startedUrls, ["/slow"]);
  assert.ok(serverSocket.bytesRead < 500_000, `${serverSocket.bytesRead} bytes were read`);
  otherSocket.destroy();
  gate.resolve();
});

test("the server starts at most one further request of a client that reads no responses", async (t) => {
  const startedUrls: string[] = [];
  const { socket } = await openRawConnection(t, (server) => {
    server.get("/*", async ({ url }) => {
      startedUrls.push(url);
      return { text: "a".repeat(8_000_000) };
    });
  });
  socket.pause().write(formatRequest("/large").repeat(1_500));
  while (startedUrls.length === 0) await nextTurn();
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
  assert.ok(startedUrls.length <= 2, `${startedUrls.length} responses were created`);
});

const JSON_BODY = JSON.stringify({ text: "a" });
/** The blank lines inside this JSON do not end the body. */
const BODY_WITH_BLANK_LINES = `{\r\n\r\n"text":\r\n\r\n"b"\r\n\r\n}`;
const POST_HEADERS = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

test("every kind of body is delimited correctly, in pieces of any size", async (t) => {
  const requests = [
    `${POST_HEADERS}Content-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}`,
    formatRequest("/get"),
    `${POST_HEADERS}Content-Length: ${BODY_WITH_BLANK_LINES.length}\r\n\r\n${BODY_WITH_BLANK_LINES}`,
    `${POST_HEADERS}Transfer-Encoding: chunked\r\n\r\n4\r\n{"te\r\n8\r\nxt":"c"}\r\n0\r\n\r\n`,
    `${POST_HEADERS}Transfer-Encoding: chunked\r\n\r\n6\r\n{"text\r\n6\r\n":"d"}\r\n0\r\nX-Trailer: e\r\n\r\n`,
    `${POST_HEADERS}Expect: 100-continue\r\nContent-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}`,
    formatRequest("/upgraded", "Connection: Upgrade\r\nUpgrade: h2c\r\n"),
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
  for (const invalidRequest of ["GET  / /\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"]) {
    const { register } = countRequests();
    const { socket } = await openRawConnection(t, register);
    socket.write(
      formatRequest("/one") + formatRequest("/two") + invalidRequest + formatRequest("/never"),
    );
    const text = await readToEnd(socket);
    assert.deepEqual(parseUrls(text), ["/one", "/two"], invalidRequest);
    assert.equal(text.match(/HTTP\/1\.1 400 /g)?.length, 1, invalidRequest);
  }
});

test("other connections are answered while one has over a thousand pending requests", async (t) => {
  const { register, startedUrls } = countRequests(async () => {});
  const { port, socket } = await openRawConnection(t, register);
  socket.resume().write(formatRequest("/many").repeat(1_500));
  while (startedUrls.length === 0) await nextTurn();
  await (await fetch(`http://127.0.0.1:${port}/other`)).text();
  const answeredBefore = startedUrls.indexOf("/other");
  assert.ok(answeredBefore < 1_000, `${answeredBefore} were answered before`);
});
