import type { TestContext } from "node:test";
import { pino } from "pino";
import type { Mail, MailOutcome, OwedMail } from "../../src/mail/mail.ts";
import { MailSender } from "../../src/mail/outbox.ts";
import { testContext } from "./room.ts";

export const MAIL: Mail = {
  purpose: "invitation",
  to: "ann@example.org",
  subject: "An invitation",
  text: "Open https://push.example.org/invitation#token=abc\n",
  link: "https://push.example.org/invitation#token=abc",
};

/** Creates a sender on its own database, whose mails get these outcomes. The last outcome repeats. */
export async function createOutbox(t: TestContext, outcomes: readonly MailOutcome[]) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const context = { ...(await testContext(t)), log };
  const mails: OwedMail[] = [];
  const checks = new Set<() => void>();
  let onSend = () => {};
  const send = async (mail: OwedMail): Promise<MailOutcome> => {
    mails.push(mail);
    for (const check of checks) check();
    onSend();
    return outcomes[Math.min(mails.length, outcomes.length) - 1] ?? { kind: "taken" };
  };
  const sender = new MailSender(context, send);
  // A running sender would keep the process alive after a failed test.
  t.after(() => sender.stop());
  return {
    context,
    send,
    /** Sets a function that runs while each mail is sent. */
    onSend: (act: () => void) => {
      onSend = act;
    },
    /** The sent mails. */
    mails,
    sender,
    /** Resolves with all mails once `count` were sent. */
    sent: (count: number): Promise<readonly OwedMail[]> => {
      const { promise, resolve } = Promise.withResolvers<readonly OwedMail[]>();
      const check = () => (mails.length >= count ? resolve(mails) : undefined);
      checks.add(check);
      check();
      return promise;
    },
    owed: () =>
      context.database.db.selectFrom("mail_message").select(["id", "run_at", "attempts"]).execute(),
    logged: () =>
      lines.map((line) => JSON.parse(line) as { level: number; reason: string; purpose: string }),
  };
}

/** Resolves when the sender is idle: after its last mail it makes four queries, and SQLite runs queries in order. */
export async function untilIdle(owed: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 6; count += 1) await owed();
}
