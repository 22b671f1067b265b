import assert from "node:assert/strict";
import { createServer as createPlainServer } from "node:net";
import { test, type TestContext } from "node:test";
import { createServer } from "node:tls";
import { generateCertificate, type Certificate } from "../../test/doubles/certificate.ts";
import { listen } from "../../test/doubles/listen.ts";
import { realNow } from "../../test/support/local-deployment.ts";
import { checkCertificate } from "./certificate.ts";

const HOST = "127.0.0.1";
const DAY_MS = 86_400_000;

test("a trusted certificate is ok, and a warning shortly before it expires", async (t) => {
  const certificate = generateCertificate([HOST]);
  const baseUrl = await startServer(t, certificate);
  const check = (now: number) =>
    checkCertificate({ baseUrl, now: () => now, ca: certificate.cert });
  // The test certificate is valid for one day.
  const expiringSoon = await check(realNow());
  assert.equal(expiringSoon.status, "warn");
  assert.match(expiringSoon.message, /good only until \d{4}-\d\d-\d\d \(0 days left\)/);
  assert.match(expiringSoon.mend ?? "", /Renew it/);
  const validVerdict = await check(realNow() - 14 * DAY_MS);
  assert.equal(validVerdict.status, "ok");
  assert.match(validVerdict.message, /\(14 days left\)/);
});

test("each invalid certificate fails with its own remedy", async (t) => {
  const expiredCertificate = generateCertificate([HOST], realNow() - 3 * DAY_MS);
  const notYetValid = generateCertificate([HOST], realNow() + 3 * DAY_MS);
  const wrongName = generateCertificate(["other.example.org"]);
  const untrustedCertificate = generateCertificate([HOST]);
  const cases: readonly (readonly [
    certificate: Certificate,
    ca: string | undefined,
    message: RegExp,
    remedy: RegExp,
  ])[] = [
    [expiredCertificate, expiredCertificate.cert, /expired on \d{4}-/, /Renew/],
    [notYetValid, notYetValid.cert, /not valid yet/, /clock/],
    [
      wrongName,
      wrongName.cert,
      /not for 127\.0\.0\.1 but for other\.example\.org/,
      /TOCSIN_BASE_URL/,
    ],
    [
      untrustedCertificate,
      undefined,
      /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
      /public authority/,
    ],
  ];
  for (const [certificate, ca, message, remedy] of cases) {
    const baseUrl = await startServer(t, certificate);
    const verdict = await checkCertificate({ baseUrl, now: realNow, ca });
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", remedy);
  }
});

test("a port without TLS fails, and a closed port is only a warning", async (t) => {
  const plainServer = createPlainServer((socket) => {
    socket.on("error", () => {});
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const port = await listen(plainServer);
  t.after(() => plainServer.close());
  const check = (checkedPort: number) =>
    checkCertificate({ baseUrl: `https://${HOST}:${checkedPort}`, now: realNow });
  const withoutTls = await check(port);
  assert.equal(withoutTls.status, "fail");
  assert.match(withoutTls.mend ?? "", /certificate for TLS/);
  const closedVerdict = await check(1);
  assert.equal(closedVerdict.status, "warn");
  assert.match(closedVerdict.message, /No certificate was received: .*ECONNREFUSED/);
});

async function startServer(t: TestContext, { key, cert }: Certificate): Promise<string> {
  const server = createServer({ key, cert }, (socket) => socket.on("error", () => {}).end());
  server.on("tlsClientError", () => {});
  const port = await listen(server);
  t.after(() => server.close());
  return `https://${HOST}:${port}`;
}
