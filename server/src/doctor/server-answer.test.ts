import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { test, type TestContext } from "node:test";
import { makeCertificate } from "../../test/doubles/certificate.ts";
import { closeHttp, listen } from "../../test/doubles/listen.ts";
import { startApp } from "../../test/support/app.ts";
import { checkServerAnswer } from "./server-answer.ts";

const HERE = { host: "127.0.0.1", port: 8080 };

test("a Tocsin server is recognized by its answer", async (test) => {
  const { url } = await startApp(test);
  const verdict = await checkServerAnswer({ config: { ...HERE, baseUrl: url } });
  assert.deepEqual(verdict, {
    status: "ok",
    message: `A Tocsin server answers at ${url}.`,
    mend: null,
  });
});

test("any other answer is distinguished", async (test) => {
  const rows: readonly (readonly [RequestListener, string, RegExp, RegExp])[] = [
    [(_, to) => to.end("ok"), "fail", /Something other .*200/, /127\.0\.0\.1:8080 unchanged/],
    [(_, to) => to.end("null"), "fail", /Something other/, /unchanged/],
    [(_, to) => to.end("x".repeat(100_000)), "fail", /Something other/, /unchanged/],
    [(_, to) => to.writeHead(404).end(), "fail", /Something other .*404/, /TOCSIN_BASE_URL/],
    [(_, to) => to.writeHead(502).end(), "warn", /A proxy .*502/, /Start.*127\.0\.0\.1:8080/],
    [
      (_, to) => to.writeHead(301, { location: "https://push.example.org/x?token=1" }).end(),
      "fail",
      /leads on to https:\/\/push\.example\.org,/,
      /TOCSIN_BASE_URL to https:\/\/push\.example\.org,/,
    ],
    [
      (_, to) => to.writeHead(302, { location: "/login" }).end(),
      "fail",
      /Something other/,
      /proxy/,
    ],
    [(_, to) => to.destroy(), "warn", /breaks the connection off/, /Start the server/],
  ];
  for (const [listener, status, message, mend] of rows) {
    const baseUrl = await serve(test, listener);
    const verdict = await checkServerAnswer({ config: { ...HERE, baseUrl } });
    assert.equal(verdict.status, status, verdict.message);
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", mend);
  }
});

test("if nothing answers, the remedy is about what is missing", async () => {
  const at = (baseUrl: string) => checkServerAnswer({ config: { ...HERE, baseUrl } });
  const closed = await at("http://127.0.0.1:1");
  assert.equal(closed.status, "warn");
  assert.match(closed.message, /No server answers .*yet.*ECONNREFUSED/);
  assert.match(closed.mend ?? "", /Start the server, or fix the proxy/);
  const nameless = await at("http://tocsin.invalid");
  assert.equal(nameless.status, "warn");
  assert.match(nameless.mend ?? "", /Make a DNS record for tocsin\.invalid/);
});

test("an untrusted certificate is to be fixed first", async (test) => {
  const certificate = makeCertificate(["127.0.0.1"]);
  const server = createTlsServer(certificate, (_, to) => to.end('{"status":"ok"}'));
  const baseUrl = `https://127.0.0.1:${await listen(server)}`;
  test.after(() => closeHttp(server));
  const config = { ...HERE, baseUrl };
  const verdict = await checkServerAnswer({ config });
  assert.equal(verdict.status, "warn");
  assert.match(verdict.mend ?? "", /certificate first/);
  assert.equal((await checkServerAnswer({ config, ca: certificate.cert })).status, "ok");
});

async function serve(test: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await listen(server);
  test.after(() => closeHttp(server));
  return `http://127.0.0.1:${port}`;
}
