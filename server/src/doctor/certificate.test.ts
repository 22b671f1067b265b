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

test("a trusted certificate is ok, and a warning shortly before it expires", async (test) => {
  const certificate = makeCertificate([HOST]);
  const baseUrl = await startServer(test, certificate);
  const check = (now: number) =>
    checkCertificate({ baseUrl, now: () => now, ca: certificate.cert });
  // The test certificate is valid for one day.
  const expiringSoon = await check(realNow());
  assert.equal(expiringSoon.status, "warn");
  assert.match(expiringSoon.message, /good only until \d{4}-\d\d-\d\d \(0 days left\)/);
  assert.match(expiringSoon.mend ?? "", /Renew it/);
  const valid = await check(realNow() - 14 * DAY_MS);
  assert.equal(valid.status, "ok");
  assert.match(valid.message, /\(14 days left\)/);
});

test("each invalid certificate fails with its own remedy", async (test) => {
  const expired = makeCertificate([HOST], realNow() - 3 * DAY_MS);
  const notYetValid = makeCertificate([HOST], realNow() + 3 * DAY_MS);
  const wrongName = makeCertificate(["other.example.org"]);
  const untrusted = makeCertificate([HOST]);
  const cases: readonly (readonly [Certificate, string | undefined, RegExp, RegExp])[] = [
    [expired, expired.cert, /expired on \d{4}-/, /Renew/],
    [notYetValid, notYetValid.cert, /not valid yet/, /clock/],
    [
      wrongName,
      wrongName.cert,
      /not for 127\.0\.0\.1 but for other\.example\.org/,
      /TOCSIN_BASE_URL/,
    ],
    [untrusted, undefined, /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/, /public authority/],
  ];
  for (const [certificate, ca, message, remedy] of cases) {
    const baseUrl = await startServer(test, certificate);
    const verdict = await checkCertificate({ baseUrl, now: realNow, ca });
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", remedy);
  }
});

test("a port without TLS fails, and a closed port is only a warning", async (test) => {
  const plain = createPlainServer((socket) => {
    socket.on("error", () => {});
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const port = await listen(plain);
  test.after(() => plain.close());
  const check = (at: number) =>
    checkCertificate({ baseUrl: `https://${HOST}:${at}`, now: realNow });
  const withoutTls = await check(port);
  assert.equal(withoutTls.status, "fail");
  assert.match(withoutTls.mend ?? "", /certificate for TLS/);
  const closed = await check(1);
  assert.equal(closed.status, "warn");
  assert.match(closed.message, /No certificate was received: .*ECONNREFUSED/);
});

async function startServer(test: TestContext, { key, cert }: Certificate): Promise<string> {
  const server = createServer({ key, cert }, (socket) => socket.on("error", () => {}).end());
  server.on("tlsClientError", () => {});
  const port = await listen(server);
  test.after(() => server.close());
  return `https://${HOST}:${port}`;
}
