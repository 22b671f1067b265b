import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { MailServer } from "../doubles/mail-server.ts";
import { startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { chooseSize, reportFigure } from "./bar.ts";

const VICTIM = "victim@example.org";
const MAILS_MAX = 3;
/** The daily limit of one account: more invitations need more accounts. */
const INVITATIONS_PER_ACCOUNT = 20;
const ACCOUNT_COUNT = chooseSize({ short: 6, full: 50 });

async function startWithMail(t: TestContext) {
  const { mail, environment: mailSettings } = await startMailServer(t);
  const environment = {
    ...mailSettings,
    TOCSIN_RATE_LIMIT_PER_S: "0",
  };
  return { app: await startApp(t, { environment, isSingleProcess: true }), mail };
}

/**
 * Invites the victim to new teams of the account: half by each API, and a quarter with another spelling of the address.
 * Returns the number of invitations.
 */
async function inviteVictim({ client }: TestPerson): Promise<number> {
  let invitationCount = 0;
  for (let index = 0; index < INVITATIONS_PER_ACCOUNT; index += 1) {
    const team = await client.teams.create({ name: `Team ${index}` });
    const email = index % 4 === 0 ? " Victim@Example.ORG " : VICTIM;
    if (index % 2 === 0) await client.teams.invite(team.id, { email });
    else await client.management.invite({ team: team.key, email });
    invitationCount += 1;
  }
  return invitationCount;
}

test("a victim of many inviters gets at most three emails in 24 hours", async (t) => {
  const { app, mail } = await startWithMail(t);
  let invitationCount = 0;
  for (let index = 0; index < ACCOUNT_COUNT; index += 1) {
    invitationCount += await inviteVictim(await signUp(app, `Inviter${index}`));
  }
  const mailCount = await countVictimMails(app, mail);
  assert.equal(invitationCount, ACCOUNT_COUNT * INVITATIONS_PER_ACCOUNT);
  assert.ok(mailCount > 0);
  assert.ok(mailCount <= MAILS_MAX, `${mailCount} emails in 24 hours, limit ${MAILS_MAX}`);
  reportFigure(t, `${invitationCount.toLocaleString("en")} invitations, ${mailCount} emails`);
});

/** Waits until the outbox is empty; returns the number of emails to the victim. */
async function countVictimMails({ app }: TestApp, mail: MailServer): Promise<number> {
  const { db } = app.context.database;
  const findPending = () => db.selectFrom("mail_message").select("id").executeTakeFirst();
  while ((await findPending()) !== undefined) await mail.next().catch(() => null);
  return mail.mails.filter(({ to }) => to.includes(VICTIM)).length;
}
