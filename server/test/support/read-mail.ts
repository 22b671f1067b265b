import type { Context } from "#context.ts";
import { openText } from "#mail/store/outbox.ts";

/** The parts of an owed mail that are sealed in the database. */
interface Sealed {
  readonly id: string;
  readonly text: string;
  readonly link: string;
}

/** Returns text and link of an owed mail to be read; throws where they do not open. */
export function readMail(context: Pick<Context, "seal">, stored: Sealed) {
  const opened = openText(context, stored);
  if (opened === null) throw new Error("The mail does not open.");
  return opened;
}
