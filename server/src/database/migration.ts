import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { Database } from "./database.ts";
import type { Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";
import { accounts } from "./migrations/0001-accounts.ts";
import { activity } from "./migrations/0010-activity.ts";
import { administration } from "./migrations/0012-administration.ts";
import { deletedEntries } from "./migrations/0009-deleted-entries.ts";
import { devices } from "./migrations/0004-devices.ts";
import { keys } from "./migrations/0003-keys.ts";
import { mail } from "./migrations/0006-mail.ts";
import { nodes } from "./migrations/0015-nodes.ts";
import { notifications } from "./migrations/0005-notifications.ts";
import { pairing } from "./migrations/0013-pairing.ts";
import { rates } from "./migrations/0017-rates.ts";
import { tries } from "./migrations/0018-tries.ts";
import { signIn } from "./migrations/0008-sign-in.ts";
import { teams } from "./migrations/0002-teams.ts";
import { toldChanges } from "./migrations/0016-told-changes.ts";
import { waitingJobs } from "./migrations/0007-waiting-jobs.ts";

/** One numbered step forward; never edited once released, and there is no way back. */
export interface Migration {
  readonly name: string;
  up(to: Target): Promise<void>;
}

/** The database that a step changes. */
export interface Target {
  readonly db: Kysely<Schema>;
  readonly engine: Engine;
}

const MIGRATIONS: readonly Migration[] = [
  accounts,
  teams,
  keys,
  devices,
  notifications,
  mail,
  waitingJobs,
  signIn,
  deletedEntries,
  activity,
  administration,
  pairing,
  nodes,
  toldChanges,
  rates,
  tries,
];

/** The names of all steps that this version knows, in their order. */
export const STEP_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/** Brings the tables to this version; returns the names of the steps that were taken. */
export async function migrate({ db, engine }: Database): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => steps(engine) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  const failed = results.find((result) => result.status === "Error");
  if (error !== undefined) {
    throw new Error(`Migration ${failed?.migrationName ?? "set-up"} failed.`, { cause: error });
  }
  return results.map((result) => result.migrationName);
}

function steps(engine: Engine) {
  return Object.fromEntries(
    MIGRATIONS.map((step) => [step.name, { up: (db: Kysely<Schema>) => step.up({ db, engine }) }]),
  );
}
