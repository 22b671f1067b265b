import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test, type TestContext } from "node:test";
import { listen } from "../../test/doubles/listen.ts";
import { MailServer, type MailServerOptions } from "../../test/doubles/mail-server.ts";
import { checkMail } from "./mail.ts";

const LOGIN = { user: "ops", password: "p@ss:word" };
const CREDENTIALS_IN_URL = "ops:p%40ss%3Aword@";

test("an unset mail server is ok", async () => {
  const verdict = await checkMail({ mail: null });
  assert.deepEqual([verdict.status, verdict.mend], ["ok", null]);
});

test("a mail server without a login, and one that accepts the login, are ok and receive no email", async (t) => {
  const openServer = await startMailServer(t);
  assert.match((await check(`smtp://127.0.0.1:${openServer.port}`)).message, /answers\.$/);
  const guardedServer = await startMailServer(t, { login: LOGIN });
  const verdict = await check(`smtp://${CREDENTIALS_IN_URL}127.0.0.1:${guardedServer.port}`);
  assert.equal(verdict.status, "ok");
  assert.match(verdict.message, /answers and accepts the login/);
  assert.deepEqual([...openServer.mails, ...guardedServer.mails], []);
});

test("each failure has its own remedy, and quotes neither the login nor the server", async (t) => {
  const { port: guardedPort } = await startMailServer(t, { login: LOGIN });
  const { port: selfSignedPort } = await startMailServer(t, { security: "starttls" });
  const webPort = await startGreetingServer(t, "HTTP/1.1 400 Bad Request\r\n\r\n");
  const busyPort = await startGreetingServer(t, "421 too many connections\r\n");
  const cases: readonly (readonly [smtpUrl: string, message: RegExp, remedy: RegExp])[] = [
    [`smtp://ops:p4ss@127.0.0.1:${guardedPort}`, /refuses the login \(535\)/, /user and password/],
    ["smtp://127.0.0.1:1", /refuses connections \(ECONNREFUSED\)/, /port in TOCSIN_SMTP_URL/],
    ["smtp://mail.invalid", /mail\.invalid has no address/, /Correct the host/],
    [`smtps://127.0.0.1:${guardedPort}`, /no secure connection/, /Give smtp:\/\//],
    [
      `smtp://127.0.0.1:${selfSignedPort}`,
      /DEPTH_ZERO_SELF/,
      /certificate that names 127\.0\.0\.1/,
    ],
    [`smtp://127.0.0.1:${webPort}`, /does not greet/, /host and port/],
    [`smtp://127.0.0.1:${busyPort}`, /does not greet .*\(421\)/, /ask the operator/],
  ];
  for (const [smtpUrl, message, remedy] of cases) {
    const verdict = await check(smtpUrl);
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", remedy);
    assert.doesNotMatch(JSON.stringify(verdict), /ops|p4ss|HTTP|too many/);
  }
});

function check(smtpUrl: string) {
  return checkMail({ mail: { smtpUrl, from: "tocsin@example.org" } });
}

async function startMailServer(
  t: TestContext,
  options: MailServerOptions = {},
): Promise<MailServer> {
  const server = await MailServer.start(options);
  t.after(() => server.close());
  return server;
}

async function startGreetingServer(t: TestContext, text: string): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => {}).end(text));
  const port = await listen(server);
  t.after(() => server.close());
  return port;
}
