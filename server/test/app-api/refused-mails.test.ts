import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { MailServer } from "../doubles/mail-server.ts";
import { startAdministeredApp } from "../support/administrator.ts";
import { signUp, type TestApp } from "../support/app.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { startMailServer } from "../support/start-mail-server.ts";

const CARL_EMAIL = "carl@example.org";

/** Starts a server with email. Carl refuses invitation emails with the link of a team invitation. */
async function setUp(t: TestContext) {
  const { mail, environment } = await startMailServer(t);
  const app = await startAdministeredApp(t, { environment });
  const { root, anonymous } = app;
  const { id } = await root.client.teams.create({ name: "Ops" });
  await root.client.teams.invite(id, { email: CARL_EMAIL });
  const { text } = await mail.next();
  const link = /http\S+\/invitation#token=\S+/.exec(text ?? "")?.[0];
  await anonymous.invitations.refuseMails(parseLinkToken(link));
  return { app, root, mail };
}

/** Waits until the outbox is empty; returns the subjects of all emails to Carl. */
async function listSubjects({ app }: TestApp, mail: MailServer): Promise<readonly unknown[]> {
  const { db } = app.context.database;
  const findPending = () => db.selectFrom("mail_message").select("id").executeTakeFirst();
  while ((await findPending()) !== undefined) await new Promise(setImmediate);
  return mail.mails.filter(({ to }) => to.includes(CARL_EMAIL)).map(({ subject }) => subject);
}

test("an address that refuses invitation emails gets none for a sign-up, and the response is the same as for others", async (t) => {
  const { app, root, mail } = await setUp(t);
  const { invitations } = root.client.admin;
  const carlInvitation = await invitations.create({ email: CARL_EMAIL });
  const doraInvitation = await invitations.create({ email: "dora@example.org" });
  const { id, link, createdAt, expiresAt } = doraInvitation;
  assert.deepEqual(
    { ...carlInvitation, id, link, createdAt, expiresAt },
    { ...doraInvitation, email: CARL_EMAIL },
  );
  assert.deepEqual(await listSubjects(app, mail), ["Invitation to Ops"]);
  await signUp(app, "Carl", parseLinkToken(carlInvitation.link));
});

test("an address that refuses invitation emails gets account emails, and no invitation emails even after its account is deleted", async (t) => {
  const { app, root, mail } = await setUp(t);
  const { link } = await root.client.admin.invitations.create({ email: CARL_EMAIL });
  const carl = await signUp(app, "Carl", parseLinkToken(link));
  await app.anonymous.requestPasswordReset({ email: CARL_EMAIL });
  const accountMails = ["Confirm your email address", "Choose a new password"];
  assert.deepEqual(await listSubjects(app, mail), ["Invitation to Ops", ...accountMails]);
  await carl.client.profile.delete({ password: "password of Carl" });
  const { id } = await root.client.teams.create({ name: "Night shift" });
  await root.client.teams.invite(id, { email: CARL_EMAIL });
  await root.client.admin.invitations.create({ email: CARL_EMAIL });
  assert.deepEqual(await listSubjects(app, mail), ["Invitation to Ops", ...accountMails]);
});
