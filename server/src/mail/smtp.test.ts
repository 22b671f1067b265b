import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test, type TestContext } from "node:test";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { OwedMail } from "./mail.ts";
import { createSmtp } from "./smtp.ts";

const MAIL: OwedMail = {
  id: "0190",
  purpose: "reset_password",
  to: "ann@example.org",
  subject: "Ein neues Paßwort\r\nBcc: eve@example.org",
  text: "Open http://localhost:8080/reset-password#token=abc\n",
  link: "http://localhost:8080/reset-password#token=abc",
};
const NEVER = new AbortController().signal;

test("a mail arrives with its text, at its only recipient, marked as automatic", async (t) => {
  const arrived: { recipients: string[]; raw: string }[] = [];
  const smtp = await start(t, {
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        arrived.push({ recipients, raw: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  assert.deepEqual(await smtp.send(MAIL, NEVER), { kind: "taken" });

  const [{ recipients, raw } = { recipients: [], raw: "" }] = arrived;
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
  const smtp = await start(t, {
    onRcptTo: (_address, _session, done) => done(smtpError(550, "ann@example.org is unknown")),
  });
  const outcome = await smtp.send(MAIL, NEVER);
  assert.deepEqual(outcome, { kind: "refused", reason: "EENVELOPE 550 RCPT TO" });
});

test("a temporarily refused recipient is retried", async (t) => {
  const smtp = await start(t, {
    onRcptTo: (_address, _session, done) => done(smtpError(451, "greylisted")),
  });
  const outcome = await smtp.send(MAIL, NEVER);
  assert.deepEqual(outcome, { kind: "retry", reason: "EENVELOPE 451 RCPT TO" });
});

test("a mail waits after a refused sender or login, because our settings are wrong", async (t) => {
  const badSender = await start(t, {
    onMailFrom: (_address, _session, done) => done(smtpError(553, "not your address")),
  });
  assert.deepEqual(await badSender.send(MAIL, NEVER), {
    kind: "retry",
    reason: "EENVELOPE 553 MAIL FROM",
  });
  const badLogin = await start(
    t,
    {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(smtpError(535, "wrong password")),
    },
    "user:secret@",
  );
  const outcome = await badLogin.send(MAIL, NEVER);
  assert.equal(outcome.kind, "retry");
  assert.match(outcome.kind === "retry" ? outcome.reason : "", /^EAUTH 535/);
});

test("a mail is retried if its server is down, or silent during a stop", async (t) => {
  const closed = createServer();
  closed.listen(0, "127.0.0.1");
  await once(closed, "listening");
  const port = portOf(closed.address());
  closed.close();
  await once(closed, "close");
  const unreachable = createSmtp({
    smtpUrl: `smtp://127.0.0.1:${port}`,
    from: "tocsin@example.net",
  });
  t.after(() => unreachable.close());
  const outcome = await unreachable.send(MAIL, NEVER);
  assert.equal(outcome.kind, "retry");

  const stop = new AbortController();
  const silent = await start(t, { onRcptTo: () => stop.abort() });
  const stopped = await silent.send(MAIL, stop.signal);
  assert.deepEqual(stopped, { kind: "retry", reason: "EABORT" });
});

async function start(t: TestContext, options: SMTPServerOptions, credentials = "") {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 1,
    ...options,
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const port = portOf(server.server.address());
  const smtpUrl = `smtp://${credentials}127.0.0.1:${port}`;
  const smtp = createSmtp({ smtpUrl, from: "Tocsin <tocsin@example.net>" });
  t.after(async () => {
    smtp.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(resolve);
    await promise;
  });
  return smtp;
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function portOf(address: ReturnType<ReturnType<typeof createServer>["address"]>): number {
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}
