import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { test, type TestContext } from "node:test";
import { makeCertificate } from "../../test/doubles/certificate.ts";
import { closeHttp, listen } from "../../test/doubles/listen.ts";
import { startApp } from "../../test/support/app.ts";
import { checkServerAnswer } from "./server-answer.ts";

const LISTENING = { host: "127.0.0.1", port: 8080 };

test("a Tocsin server is recognized by its response", async (test) => {
  const { url } = await startApp(test);
  const verdict = await checkServerAnswer({ config: { ...LISTENING, baseUrl: url } });
  assert.deepEqual(verdict, {
    status: "ok",
    message: `A Tocsin server answers at ${url}.`,
    mend: null,
  });
});

test("every other response has its own verdict and remedy", async (test) => {
  const cases: readonly (readonly [RequestListener, string, RegExp, RegExp])[] = [
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
      /leads on to https:\/\/push\.example\.org,/,
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
    const baseUrl = await startServer(test, listener);
    const verdict = await checkServerAnswer({ config: { ...LISTENING, baseUrl } });
    assert.equal(verdict.status, status, verdict.message);
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", remedy);
  }
});

test("a missing server and a missing DNS record have different remedies", async () => {
  const check = (baseUrl: string) => checkServerAnswer({ config: { ...LISTENING, baseUrl } });
  const closed = await check("http://127.0.0.1:1");
  assert.equal(closed.status, "warn");
  assert.match(closed.message, /No server answers .*yet.*ECONNREFUSED/);
  assert.match(closed.mend ?? "", /Start the server, or fix the proxy/);
  const withoutDns = await check("http://tocsin.invalid");
  assert.equal(withoutDns.status, "warn");
  assert.match(withoutDns.mend ?? "", /Make a DNS record for tocsin\.invalid/);
});

test("an untrusted certificate is a warning to fix it first", async (test) => {
  const certificate = makeCertificate(["127.0.0.1"]);
  const server = createTlsServer(certificate, (_, response) => response.end('{"status":"ok"}'));
  const baseUrl = `https://127.0.0.1:${await listen(server)}`;
  test.after(() => closeHttp(server));
  const config = { ...LISTENING, baseUrl };
  const verdict = await checkServerAnswer({ config });
  assert.equal(verdict.status, "warn");
  assert.match(verdict.mend ?? "", /certificate first/);
  assert.equal((await checkServerAnswer({ config, ca: certificate.cert })).status, "ok");
});

async function startServer(test: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await listen(server);
  test.after(() => closeHttp(server));
  return `http://127.0.0.1:${port}`;
}
