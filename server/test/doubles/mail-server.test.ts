import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createTransport } from "nodemailer";
import { MailServer, type MailServerOptions } from "./mail-server.ts";

const LINK = "https://push.example.org/invitations/4f1c#token=abcdefghijklmnopqrstuvwxyz0123456789";
const MAIL = {
  from: "Tocsin <no-reply@push.example.org>",
  to: "ann@example.org",
  subject: "Einladung — Team „ops“ und noch ein paar Wörter mehr, damit er umbricht",
  text: `Öffnen Sie ${LINK}\n\nGrüße`,
  html: `<p>Öffnen Sie <a href="${LINK}">die Einladung</a></p>`,
};

async function startServer(t: TestContext, options?: MailServerOptions): Promise<MailServer> {
  const server = await MailServer.start(options);
  t.after(() => server.close());
  return server;
}

for (const textEncoding of ["quoted-printable", "base64"] as const) {
  test(`a mail in ${textEncoding} is stored with its envelope, subject and text`, async (t) => {
    const server = await startServer(t);
    await createTransport(server.url).sendMail({ ...MAIL, textEncoding });
    const mail = await server.next();
    assert.equal(mail.from, "no-reply@push.example.org");
    assert.deepEqual(mail.to, ["ann@example.org"]);
    assert.equal(mail.subject, MAIL.subject);
    assert.equal(mail.text?.replaceAll("\r\n", "\n").trim(), MAIL.text);
    assert.match(mail.raw, /^Content-Type: multipart\/alternative/imu);
    assert.deepEqual([mail.user, mail.isEncrypted], [null, false]);
  });
}

test("an email without parts has its text, and an email with only HTML has none", async (t) => {
  const server = await startServer(t);
  const { from, to } = MAIL;
  await createTransport(server.url).sendMail({ from, to, subject: "plain", text: "hello" });
  await createTransport(server.url).sendMail({ from, to, subject: "rich", html: "<p>hello" });
  const [plain, rich] = await server.waitForMails(2);
  assert.deepEqual([plain?.subject, plain?.text?.trim()], ["plain", "hello"]);
  assert.deepEqual([rich?.subject, rich?.text], ["rich", null]);
});

test("a recipient is refused until it is accepted again", async (t) => {
  const server = await startServer(t);
  const transport = createTransport(server.url);
  server.refuse("ann@example.org");
  await assert.rejects(transport.sendMail(MAIL), { code: "EENVELOPE", responseCode: 550 });
  server.refuse("ann@example.org", 451);
  await assert.rejects(transport.sendMail(MAIL), { responseCode: 451 });
  server.accept("ann@example.org");
  await transport.sendMail(MAIL);
  assert.equal((await server.next()).to[0], "ann@example.org");
  assert.equal(server.mails.length, 1);
});

test("a login after STARTTLS is checked over the encrypted connection", async (t) => {
  const login = { user: "tocsin", password: "secret" };
  const server = await startServer(t, { security: "starttls", login });
  const connection = {
    host: "127.0.0.1",
    port: server.port,
    requireTLS: true,
    tls: { ca: server.ca },
  };
  const auth = { user: login.user, pass: login.password };
  await createTransport({ ...connection, auth }).sendMail(MAIL);
  const mail = await server.next();
  assert.deepEqual([mail.user, mail.isEncrypted], ["tocsin", true]);

  const wrongPasswordTransport = createTransport({
    ...connection,
    auth: { ...auth, pass: "guess" },
  });
  await assert.rejects(wrongPasswordTransport.sendMail(MAIL), { code: "EAUTH", responseCode: 535 });
  await assert.rejects(createTransport(connection).sendMail(MAIL), { responseCode: 530 });
  const untrustingTransport = createTransport({ ...connection, tls: {}, auth });
  await assert.rejects(untrustingTransport.sendMail(MAIL), /self-signed/u);
});

test("closing the server ends pooled connections", async () => {
  const server = await MailServer.start();
  const transport = createTransport({ host: "127.0.0.1", port: server.port, pool: true });
  await transport.sendMail(MAIL);
  await server.close();
  transport.close();
  await assert.rejects(createTransport(server.url).sendMail(MAIL), { code: "ESOCKET" });
});
