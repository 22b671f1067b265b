import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test, type TestContext } from "node:test";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { QueuedMail } from "./mail.ts";
import { createSmtpPool } from "./smtp.ts";

const MAIL: QueuedMail = {
  id: "0190",
  purpose: "reset_password",
  to: "ann@example.org",
  subject: "Ein neues Paßwort\r\nBcc: eve@example.org",
  text: "Open http://localhost:8080/reset-password#token=abc\n",
  link: "http://localhost:8080/reset-password#token=abc",
};
const NEVER_ABORTED = new AbortController().signal;

test("a mail arrives with its text, at its only recipient, marked as automatic", async (t) => {
  const receivedMails: { recipients: string[]; raw: string }[] = [];
  const smtp = await startSmtp(t, {
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        receivedMails.push({ recipients, raw: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  assert.deepEqual(await smtp.send(MAIL, NEVER_ABORTED), { kind: "accepted" });

  const [{ recipients, raw } = { recipients: [], raw: "" }] = receivedMails;
  assert.deepEqual(recipients, ["ann@example.org"]);
  const [header = "", body = ""] = raw.split("\r\n\r\n", 2);
  assert.match(header, /^From: Tocsin <tocsin@example\.net>\r$/m);
  assert.match(header, /^To: ann@example\.org\r$/m);
  assert.match(header, /^Auto-Submitted: auto-generated\r$/m);
  assert.match(header, /^Message-ID: <0190@example\.net>\r?$/m);
  assert.match(header, /^Subject: =\?UTF-8\?/m);
  assert.doesNotMatch(header, /^Bcc:/m);
  assert.equal(
    body.replace("=\r\n", "").replace("token=3Dabc", "token=abc").trim(),
    MAIL.text.trim(),
  );
});

test("a permanently refused recipient is reported as refused, without its address", async (t) => {
  const smtp = await startSmtp(t, {
    onRcptTo: (_address, _session, done) =>
      done(createSmtpError(550, "ann@example.org is unknown")),
  });
  const outcome = await smtp.send(MAIL, NEVER_ABORTED);
  assert.deepEqual(outcome, { kind: "refused", reason: "EENVELOPE 550 RCPT TO" });
});

test("a temporarily refused recipient is retried", async (t) => {
  const smtp = await startSmtp(t, {
    onRcptTo: (_address, _session, done) => done(createSmtpError(451, "greylisted")),
  });
  const outcome = await smtp.send(MAIL, NEVER_ABORTED);
  assert.deepEqual(outcome, { kind: "retry", reason: "EENVELOPE 451 RCPT TO" });
});

test("a mail is retried after a refused sender or login, because the server's settings are wrong", async (t) => {
  const badSender = await startSmtp(t, {
    onMailFrom: (_address, _session, done) => done(createSmtpError(553, "not your address")),
  });
  assert.deepEqual(await badSender.send(MAIL, NEVER_ABORTED), {
    kind: "retry",
    reason: "EENVELOPE 553 MAIL FROM",
  });
  const badLogin = await startSmtp(
    t,
    {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(createSmtpError(535, "wrong password")),
    },
    "user:secret@",
  );
  const outcome = await badLogin.send(MAIL, NEVER_ABORTED);
  assert.equal(outcome.kind, "retry");
  assert.match(outcome.kind === "retry" ? outcome.reason : "", /^EAUTH 535/);
});

test("a mail is retried if the mail server is down, or if a stop aborts the attempt", async (t) => {
  const closedServer = createServer();
  closedServer.listen(0, "127.0.0.1");
  await once(closedServer, "listening");
  const port = getPort(closedServer.address());
  closedServer.close();
  await once(closedServer, "close");
  const unreachablePool = createSmtpPool({
    smtpUrl: `smtp://127.0.0.1:${port}`,
    from: "tocsin@example.net",
  });
  t.after(() => unreachablePool.close());
  const outcome = await unreachablePool.send(MAIL, NEVER_ABORTED);
  assert.equal(outcome.kind, "retry");

  const stop = new AbortController();
  const abortingServer = await startSmtp(t, { onRcptTo: () => stop.abort() });
  const outcomeAfterAbort = await abortingServer.send(MAIL, stop.signal);
  assert.deepEqual(outcomeAfterAbort, { kind: "retry", reason: "EABORT" });
});

async function startSmtp(t: TestContext, options: SMTPServerOptions, credentials = "") {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 1,
    ...options,
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const port = getPort(server.server.address());
  const smtpUrl = `smtp://${credentials}127.0.0.1:${port}`;
  const smtp = createSmtpPool({ smtpUrl, from: "Tocsin <tocsin@example.net>" });
  t.after(async () => {
    smtp.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(resolve);
    await promise;
  });
  return smtp;
}

function createSmtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function getPort(address: ReturnType<ReturnType<typeof createServer>["address"]>): number {
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}
