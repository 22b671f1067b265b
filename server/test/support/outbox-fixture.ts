import type { TestContext } from "node:test";
import { pino } from "pino";
import type { Mail, MailOutcome, QueuedMail } from "../../src/mail/mail.ts";
import { MailSender } from "../../src/mail/mail-sender.ts";
import { createRoomContext } from "./context.ts";

/** An email for tests that do not depend on its content. */
export const MAIL: Mail = {
  purpose: "invitation",
  to: "ann@example.org",
  subject: "An invitation",
  text: "Open https://push.example.org/invitation#token=abc\n",
  link: "https://push.example.org/invitation#token=abc",
};

/** Creates a mail sender on its own database. Its emails get these outcomes, and the last outcome repeats. */
export async function createOutboxFixture(t: TestContext, outcomes: readonly MailOutcome[]) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const context = { ...(await createRoomContext(t)), log };
  const sentMails: QueuedMail[] = [];
  const checks = new Set<() => void>();
  let onSend = () => {};
  const send = async (mail: QueuedMail): Promise<MailOutcome> => {
    sentMails.push(mail);
    for (const check of checks) check();
    onSend();
    return outcomes[Math.min(sentMails.length, outcomes.length) - 1] ?? { kind: "accepted" };
  };
  const sender = new MailSender(context, send);
  // A running sender would keep the process alive after a failed test.
  t.after(() => sender.stop());
  return {
    context,
    send,
    /** Sets a function that runs while each email is sent. */
    onSend: (act: () => void) => {
      onSend = act;
    },
    /** The sent emails. */
    sentMails,
    sender,
    /** Resolves with all emails once `count` were sent. */
    waitForMails: (count: number): Promise<readonly QueuedMail[]> => {
      const { promise, resolve } = Promise.withResolvers<readonly QueuedMail[]>();
      const check = () => (sentMails.length >= count ? resolve(sentMails) : undefined);
      checks.add(check);
      check();
      return promise;
    },
    /** Returns the emails that are still to be sent. */
    listPendingMails: () =>
      context.database.db.selectFrom("mail_message").select(["id", "run_at", "attempts"]).execute(),
    /** Returns the logged lines so far. */
    readLogLines: () =>
      lines.map((line) => JSON.parse(line) as { level: number; reason: string; purpose: string }),
  };
}

/** More than the four queries that the sender makes after its last email. */
const QUERIES_UNTIL_IDLE = 6;

/**
 * Resolves when the sender is idle, after several runs of `query`: SQLite runs queries in order, so that those of the
 * sender have ended.
 */
export async function waitUntilIdle(query: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < QUERIES_UNTIL_IDLE; count += 1) await query();
}
