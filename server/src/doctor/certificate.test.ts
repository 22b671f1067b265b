import assert from "node:assert/strict";
import { createServer as createPlainServer } from "node:net";
import { test, type TestContext } from "node:test";
import { createServer } from "node:tls";
import { makeCertificate, type Certificate } from "../../test/doubles/certificate.ts";
import { listen } from "../../test/doubles/listen.ts";
import { realNow } from "../../test/support/surroundings.ts";
import { checkCertificate } from "./certificate.ts";

const HOST = "127.0.0.1";
const DAY_MS = 86_400_000;

test("a trusted certificate is good until it is about to expire", async (test) => {
  const certificate = makeCertificate([HOST]);
  const baseUrl = await serve(test, certificate);
  const ask = (now: number) => checkCertificate({ baseUrl, now: () => now, ca: certificate.cert });
  // The double's certificate is valid for a day from now.
  const near = await ask(realNow());
  assert.equal(near.status, "warn");
  assert.match(near.message, /good only until \d{4}-\d\d-\d\d \(0 days left\)/);
  assert.match(near.mend ?? "", /Renew it/);
  const far = await ask(realNow() - 14 * DAY_MS);
  assert.equal(far.status, "ok");
  assert.match(far.message, /\(14 days left\)/);
});

test("a certificate that browsers refuse fails, with its own remedy", async (test) => {
  const expired = makeCertificate([HOST], realNow() - 3 * DAY_MS);
  const early = makeCertificate([HOST], realNow() + 3 * DAY_MS);
  const other = makeCertificate(["other.example.org"]);
  const stranger = makeCertificate([HOST]);
  const rows: readonly (readonly [Certificate, string | undefined, RegExp, RegExp])[] = [
    [expired, expired.cert, /expired on \d{4}-/, /Renew/],
    [early, early.cert, /not valid yet/, /clock/],
    [other, other.cert, /not for 127\.0\.0\.1 but for other\.example\.org/, /TOCSIN_BASE_URL/],
    [stranger, undefined, /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/, /public authority/],
  ];
  for (const [certificate, ca, message, mend] of rows) {
    const baseUrl = await serve(test, certificate);
    const verdict = await checkCertificate({ baseUrl, now: realNow, ca });
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", mend);
  }
});

test("a port without TLS fails, and one without a listener only warns", async (test) => {
  const plain = createPlainServer((socket) => {
    socket.on("error", () => {});
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const port = await listen(plain);
  test.after(() => plain.close());
  const ask = (at: number) => checkCertificate({ baseUrl: `https://${HOST}:${at}`, now: realNow });
  const spoken = await ask(port);
  assert.equal(spoken.status, "fail");
  assert.match(spoken.mend ?? "", /certificate for TLS/);
  const closed = await ask(1);
  assert.equal(closed.status, "warn");
  assert.match(closed.message, /No certificate was received: .*ECONNREFUSED/);
});

async function serve(test: TestContext, { key, cert }: Certificate): Promise<string> {
  const server = createServer({ key, cert }, (socket) => socket.on("error", () => {}).end());
  server.on("tlsClientError", () => {});
  const port = await listen(server);
  test.after(() => server.close());
  return `https://${HOST}:${port}`;
}
