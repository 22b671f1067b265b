import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test from "node:test";
import { openRawConnection, readToEnd } from "../../test/support/raw-connection.ts";
import type { Server } from "./server.ts";

const LAST = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Routes that count how many requests are under way; each waits for `during`. */
function countRequests(during: (url: string) => Promise<void> = nextTurn) {
  const seen: string[] = [];
  let underWay = 0;
  let most = 0;
  const register = (server: Server) => {
    server.all("/*", async ({ url, body }) => {
      seen.push(url);
      underWay += 1;
      most = Math.max(most, underWay);
      await during(url);
      underWay -= 1;
      return { url, body };
    });
  };
  return { register, seen, most: () => most };
}

function askFor(url: string, more = ""): string {
  return `GET ${url} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
}

function urlsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/"url":"([^"]*)"/g), ([, url = ""]) => url);
}

test("requests sent at once begin one after the other and are answered in order", async (t) => {
  const { register, most } = countRequests();
  const { socket } = await openRawConnection(t, register);
  const urls = Array.from({ length: 1_500 }, (_, index) => `/${index}`);
  socket.write(urls.map((url) => askFor(url)).join("") + LAST);
  assert.deepEqual(urlsOf(await readToEnd(socket)), [...urls, "/last"]);
  assert.equal(most(), 1);
});

test("requests behind a slow one are not begun, and soon not even read", async (t) => {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { register, seen } = countRequests(async (url) => {
    if (url !== "/slow") return;
    begun.resolve();
    await held.promise;
  });
  const { server, port, socket } = await openRawConnection(t, register);
  const read = once(server.server, "connection");
  const other = connect({ host: "127.0.0.1", port });
  const [accepted] = await read;
  socket.destroy();
  other.write(askFor("/slow") + askFor("/quick").repeat(100_000) + LAST);
  await begun.promise;
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  assert.deepEqual(seen, ["/slow"]);
  assert.ok(accepted.bytesRead < 500_000, `${accepted.bytesRead} bytes were read`);
  other.destroy();
  held.resolve();
});

test("while the client reads no answers, no further request begins", async (t) => {
  const seen: string[] = [];
  const { socket } = await openRawConnection(t, (server) => {
    server.get("/*", async ({ url }) => {
      seen.push(url);
      return { text: "a".repeat(8_000_000) };
    });
  });
  socket.pause().write(askFor("/large").repeat(1_500));
  while (seen.length === 0) await nextTurn();
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
  assert.ok(seen.length <= 2, `${seen.length} answers were made`);
});

const JSON_BODY = JSON.stringify({ text: "a" });
/** A blank line inside the JSON, which ends nothing. */
const WITH_BLANK_LINES = `{\r\n\r\n"text":\r\n\r\n"b"\r\n\r\n}`;
const HEAD = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

test("every kind of body ends in the right place, however its bytes arrive", async (t) => {
  const requests = [
    `${HEAD}Content-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}`,
    askFor("/get"),
    `${HEAD}Content-Length: ${WITH_BLANK_LINES.length}\r\n\r\n${WITH_BLANK_LINES}`,
    `${HEAD}Transfer-Encoding: chunked\r\n\r\n4\r\n{"te\r\n8\r\nxt":"c"}\r\n0\r\n\r\n`,
    `${HEAD}Transfer-Encoding: chunked\r\n\r\n6\r\n{"text\r\n6\r\n":"d"}\r\n0\r\nX-Trailer: e\r\n\r\n`,
    `${HEAD}Expect: 100-continue\r\nContent-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}`,
    askFor("/upgraded", "Connection: Upgrade\r\nUpgrade: h2c\r\n"),
  ];
  const bytes = Buffer.from(requests.join("") + LAST);
  for (const size of [1, 3, 50, bytes.length]) {
    const { register, most } = countRequests();
    const { socket } = await openRawConnection(t, register);
    socket.setNoDelay(true);
    for (let at = 0; at < bytes.length; at += size) {
      socket.write(bytes.subarray(at, at + size));
      await nextTurn();
    }
    const text = await readToEnd(socket);
    const urls = ["/body", "/get", "/body", "/body", "/body", "/body", "/upgraded", "/last"];
    assert.deepEqual(urlsOf(text), urls, `in pieces of ${size}`);
    const texts = Array.from(text.matchAll(/"text":"(\w)"/g), ([, found]) => found);
    assert.deepEqual(texts, ["a", "b", "c", "d", "a"]);
    assert.equal(most(), 1);
  }
});

test("an unreadable request or a tunnel is refused after the answers before it", async (t) => {
  for (const bad of ["GET  / /\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"]) {
    const { register } = countRequests();
    const { socket } = await openRawConnection(t, register);
    socket.write(askFor("/one") + askFor("/two") + bad + askFor("/never"));
    const text = await readToEnd(socket);
    assert.deepEqual(urlsOf(text), ["/one", "/two"], bad);
    assert.equal(text.match(/HTTP\/1\.1 400 /g)?.length, 1, bad);
  }
});

test("other connections are answered while one has a thousand requests waiting", async (t) => {
  const { register, seen } = countRequests(async () => {});
  const { port, socket } = await openRawConnection(t, register);
  socket.resume().write(askFor("/many").repeat(1_500));
  while (seen.length === 0) await nextTurn();
  await (await fetch(`http://127.0.0.1:${port}/other`)).text();
  const before = seen.indexOf("/other");
  assert.ok(before < 1_000, `${before} were answered before`);
});
