import { findFirstAdministrator } from "#accounts/other-accounts/store.ts";
import type { Config } from "#config/config.ts";
import { databaseExists } from "#database/database-exists.ts";
import { openWithLongTimeouts, type DatabaseLocation } from "#database/open.ts";
import { checkSubjectForApple, toMailtoUri } from "#providers/webpush/vapid-subject.ts";
import { ok, warn, type Verdict } from "./finding.ts";

/** Checks the contact that a server with this configuration sends to push services, even if no server runs. */
export async function checkContact({
  vapidSubject,
  database,
}: Pick<Config, "vapidSubject" | "database">): Promise<Verdict> {
  if (vapidSubject !== null) return assessContact(vapidSubject);
  try {
    const email = await findAdministratorEmail(database);
    return assessContact(email === null ? null : toMailtoUri(email));
  } catch {
    // If the database cannot be read, other checks report the reason.
    return warn(
      "It could not be checked which contact push services get for this server.",
      "Fix the database problem, then run tocsin doctor again.",
    );
  }
}

/** Checks whether Apple accepts the contact, which is null before the first administrator exists. */
export function assessContact(contact: string | null): Verdict {
  if (contact === null) {
    return ok("Push services will get the first administrator's address as the contact.");
  }
  const verdict = checkSubjectForApple(contact);
  if (verdict.ok) return ok(`Push services get ${contact} as the contact.`);
  return warn(
    `Apple refuses the contact, so iPhones and Safari are not reached: ${lowerFirstLetter(verdict.message)}`,
    "Set TOCSIN_VAPID_SUBJECT to mailto: and your address, or TOCSIN_BASE_URL to a public https address.",
  );
}

async function findAdministratorEmail(location: DatabaseLocation): Promise<string | null> {
  if (!(await databaseExists(location))) return null;
  const database = openWithLongTimeouts(location);
  try {
    return (await findFirstAdministrator({ database }))?.email ?? null;
  } finally {
    await database.close();
  }
}

function lowerFirstLetter(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
