import { pino } from "pino";
import type { Applicant } from "#accounts/account.ts";
import { createAccount } from "#accounts/create-account.ts";
import { OPERATOR } from "#audit/event.ts";
import type { Config } from "#config/config.ts";
import { openDatabase } from "#database/open.ts";
import { migrate } from "#database/migration.ts";
import { issueKey } from "#keys/issue.ts";
import { prepareDataFolder } from "#process/data-folder.ts";
import { createOperatorContext } from "./with-context.ts";

/** The installation to work on, and the clock. */
export interface OperatorDeps {
  readonly config: Pick<Config, "dataDir" | "database">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A new account with its first API key, which cannot be read again. */
export interface AccountWithKey {
  readonly accountId: string;
  readonly key: string;
}

/**
 * Creates an account with a first API key, directly in the database. Creates a missing database; a server may run
 * meanwhile. Throws the errors of `createAccount`.
 */
export async function createAccountWithKey(
  { config, now }: OperatorDeps,
  request: Applicant & { readonly isAdmin: boolean },
): Promise<AccountWithKey> {
  await prepareDataFolder(config.dataDir);
  const log = pino({ level: "silent" });
  const database = openDatabase(config.database, log);
  try {
    await migrate(database);
    const context = createOperatorContext(database, { now, log });
    const accountId = await createAccount(context, request);
    const { key } = await issueKey(context, {
      accountId,
      actor: OPERATOR,
      teamId: null,
      label: "First key",
      expiresAt: null,
      isPostOnly: false,
    });
    return { accountId, key };
  } finally {
    await database.close();
  }
}
