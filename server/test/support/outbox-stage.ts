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

/** Returns a sender on a database of its own, whose mails get these outcomes; the last one stands for all that follow. */
export async function stageOutbox(t: TestContext, outcomes: readonly MailOutcome[]) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const context = { ...(await testContext(t)), log };
  const mails: OwedMail[] = [];
  const waiting = new Set<() => void>();
  let onSend = () => {};
  const send = async (mail: OwedMail): Promise<MailOutcome> => {
    mails.push(mail);
    for (const look of waiting) look();
    onSend();
    return outcomes[Math.min(mails.length, outcomes.length) - 1] ?? { kind: "taken" };
  };
  const sender = new MailSender(context, send);
  // A test that fails leaves no sender that keeps the process for ever.
  t.after(() => sender.stop());
  return {
    context,
    send,
    /** Has this done with each mail, while it is sent. */
    onSend: (act: () => void) => {
      onSend = act;
    },
    /** Mails that went out. */
    mails,
    sender,
    /** Resolves with all mails once `count` of them went out. */
    sent: (count: number): Promise<readonly OwedMail[]> => {
      const { promise, resolve } = Promise.withResolvers<readonly OwedMail[]>();
      const look = () => (mails.length >= count ? resolve(mails) : undefined);
      waiting.add(look);
      look();
      return promise;
    },
    owed: () =>
      context.database.db.selectFrom("mail_message").select(["id", "run_at", "attempts"]).execute(),
    logged: () =>
      lines.map((line) => JSON.parse(line) as { level: number; reason: string; purpose: string }),
  };
}

/** After its last mail the sender asks the database four things; on SQLite answers come in the order of the questions. */
export async function untilIdle(owed: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 6; count += 1) await owed();
}
