import type { Context } from "#context.ts";
import { unsealContent } from "#mail/store/outbox.ts";

/** The sealed parts of an email in the outbox. */
interface SealedMail {
  readonly id: string;
  readonly text: string;
  readonly link: string;
}

/** Returns text and link of an email in the outbox. Throws if they cannot be unsealed. */
export function readMail(context: Pick<Context, "seal">, stored: SealedMail) {
  const mailContent = unsealContent(context, stored);
  if (mailContent === null) throw new Error("The mail cannot be unsealed.");
  return mailContent;
}
