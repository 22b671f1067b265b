import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { MailServer } from "../doubles/mail-server.ts";
import { startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { startMail } from "../support/mail-stage.ts";
import { sizeOf, tellFigure } from "./bar.ts";

const VICTIM = "victim@example.org";
const MAILS_MAX = 3;
/** An account may make no more in a day: many need many accounts. */
const PER_ACCOUNT = 20;
const ACCOUNTS = sizeOf({ short: 6, full: 50 });

async function startWithMail(t: TestContext) {
  const { mail: mails, environment: sending } = await startMail(t);
  const environment = {
    ...sending,
    TOCSIN_RATE_LIMIT_PER_S: "0",
  };
  return { app: await startApp(t, { environment, isOneProcess: true }), mails };
}

/** Invites the victim to teams of the account's own, half of them by each API, in spellings of the same address. */
async function flood({ client }: TestPerson): Promise<number> {
  let taken = 0;
  for (let index = 0; index < PER_ACCOUNT; index += 1) {
    const team = await client.teams.create({ name: `Team ${index}` });
    const email = index % 4 === 0 ? " Victim@Example.ORG " : VICTIM;
    if (index % 2 === 0) await client.teams.invite(team.id, { email });
    else await client.management.invite({ team: team.key, email });
    taken += 1;
  }
  return taken;
}

test("a victim of many inviters gets three mails in 24 hours, whoever invites to whatever", async (t) => {
  const { app, mails } = await startWithMail(t);
  let invitations = 0;
  for (let index = 0; index < ACCOUNTS; index += 1) {
    invitations += await flood(await signUp(app, `Inviter${index}`));
  }
  const received = await settled(app, mails);
  assert.equal(invitations, ACCOUNTS * PER_ACCOUNT);
  assert.ok(received > 0);
  assert.ok(received <= MAILS_MAX, `${received} mails in 24 hours, and not ${MAILS_MAX}`);
  tellFigure(t, `${invitations.toLocaleString("en")} invitations, ${received} mails`);
});

/** Returns how many mails the victim has, once no mail is owed to anybody. */
async function settled({ app }: TestApp, mails: MailServer): Promise<number> {
  const { db } = app.context.database;
  const owed = () => db.selectFrom("mail_message").select("id").executeTakeFirst();
  while ((await owed()) !== undefined) await mails.next().catch(() => null);
  return mails.all.filter(({ to }) => to.includes(VICTIM)).length;
}
