import { findFirstAdministrator } from "#accounts/other-accounts/store.ts";
import type { Context } from "#context.ts";
import { toMailtoUri } from "#providers/webpush/vapid-subject.ts";
import type { FindContact } from "#providers/webpush/vapid-tokens.ts";
import type { Config } from "#config/config.ts";

/**
 * Creates the function that resolves with the contact of this server for push services: the operator's setting, or
 * without one the email address of the first administrator. The function never rejects. While the database is
 * unavailable, it resolves with the last known contact.
 */
export function createContactReader(
  { vapidSubject }: Pick<Config, "vapidSubject">,
  context: Pick<Context, "database" | "log">,
): FindContact {
  if (vapidSubject !== null) return async () => vapidSubject;
  let lastKnownContact: string | null = null;
  return async () => {
    try {
      const administrator = await findFirstAdministrator(context);
      lastKnownContact = administrator === null ? null : toMailtoUri(administrator.email);
    } catch (error) {
      context.log.warn({ err: error }, "the contact for push services could not be read");
    }
    return lastKnownContact;
  };
}
