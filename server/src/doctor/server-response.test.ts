import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { test, type TestContext } from "node:test";
import { generateCertificate } from "../../test/doubles/certificate.ts";
import { closeHttpServer, listen } from "../../test/doubles/listen.ts";
import { startApp } from "../../test/support/app.ts";
import { checkServerResponse } from "./server-response.ts";

const LISTENING = { host: "127.0.0.1", port: 8080 };

test("a Tocsin server is recognised by its response", async (t) => {
  const { url } = await startApp(t);
  const verdict = await checkServerResponse({ config: { ...LISTENING, baseUrl: url } });
  assert.deepEqual(verdict, {
    status: "ok",
    message: `A Tocsin server answers at ${url}.`,
    mend: null,
  });
});

test("every other response has its own verdict and remedy", async (t) => {
  const cases: readonly (readonly [
    listener: RequestListener,
    status: string,
    message: RegExp,
    remedy: RegExp,
  ])[] = [
    [
      (_, response) => response.end("ok"),
      "fail",
      /Something other .*200/,
      /127\.0\.0\.1:8080 unchanged/,
    ],
    [(_, response) => response.end("null"), "fail", /Something other/, /unchanged/],
    [(_, response) => response.end("x".repeat(100_000)), "fail", /Something other/, /unchanged/],
    [
      (_, response) => response.writeHead(404).end(),
      "fail",
      /Something other .*404/,
      /TOCSIN_BASE_URL/,
    ],
    [
      (_, response) => response.writeHead(502).end(),
      "warn",
      /A proxy .*502/,
      /Start.*127\.0\.0\.1:8080/,
    ],
    [
      (_, response) =>
        response.writeHead(301, { location: "https://push.example.org/x?token=1" }).end(),
      "fail",
      /redirects to https:\/\/push\.example\.org,/,
      /TOCSIN_BASE_URL to https:\/\/push\.example\.org,/,
    ],
    [
      (_, response) => response.writeHead(302, { location: "/login" }).end(),
      "fail",
      /Something other/,
      /proxy/,
    ],
    [(_, response) => response.destroy(), "warn", /breaks the connection off/, /Start the server/],
  ];
  for (const [listener, status, message, remedy] of cases) {
    const baseUrl = await startServer(t, listener);
    const verdict = await checkServerResponse({ config: { ...LISTENING, baseUrl } });
    assert.equal(verdict.status, status, verdict.message);
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", remedy);
  }
});

test("a missing server and a missing DNS record have different remedies", async () => {
  const check = (baseUrl: string) => checkServerResponse({ config: { ...LISTENING, baseUrl } });
  const closedVerdict = await check("http://127.0.0.1:1");
  assert.equal(closedVerdict.status, "warn");
  assert.match(closedVerdict.message, /No server answers .*yet.*ECONNREFUSED/);
  assert.match(closedVerdict.mend ?? "", /Start the server, or fix the proxy/);
  const withoutDns = await check("http://tocsin.invalid");
  assert.equal(withoutDns.status, "warn");
  assert.match(withoutDns.mend ?? "", /Make a DNS record for tocsin\.invalid/);
});

test("an untrusted certificate is a warning to fix it first, and a trusted one is ok", async (t) => {
  const certificate = generateCertificate(["127.0.0.1"]);
  const server = createTlsServer(certificate, (_, response) => response.end('{"status":"ok"}'));
  const baseUrl = `https://127.0.0.1:${await listen(server)}`;
  t.after(() => closeHttpServer(server));
  const config = { ...LISTENING, baseUrl };
  const verdict = await checkServerResponse({ config });
  assert.equal(verdict.status, "warn");
  assert.match(verdict.mend ?? "", /certificate first/);
  assert.equal((await checkServerResponse({ config, ca: certificate.cert })).status, "ok");
});

async function startServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await listen(server);
  t.after(() => closeHttpServer(server));
  return `http://127.0.0.1:${port}`;
}
