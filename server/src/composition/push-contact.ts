import { findFirstAdministrator } from "#accounts/other-accounts/store.ts";
import type { Context } from "#context.ts";
import { mailtoOf } from "#providers/webpush/vapid-subject.ts";
import type { Contact } from "#providers/webpush/vapid-tokens.ts";
import type { Config } from "#config/config.ts";

/**
 * Returns a function that resolves with the contact of this server: the operator's setting, else the address of its
 * first administrator. It never rejects: while the database is unavailable, the contact is the last known one.
 */
export function createContact(
  { vapidSubject }: Pick<Config, "vapidSubject">,
  context: Pick<Context, "database" | "log">,
): Contact {
  if (vapidSubject !== null) return async () => vapidSubject;
  let known: string | null = null;
  return async () => {
    try {
      const administrator = await findFirstAdministrator(context);
      known = administrator === null ? null : mailtoOf(administrator.email);
    } catch (error) {
      context.log.warn({ err: error }, "the contact for push services could not be read");
    }
    return known;
  };
}
