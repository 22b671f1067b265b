import { sql, type Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { Database } from "./database.ts";
import type { Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";
import { accounts } from "./migrations/0001-accounts.ts";
import { activity } from "./migrations/0010-activity.ts";
import { auditLog } from "./migrations/0021-audit-log.ts";
import { administration } from "./migrations/0012-administration.ts";
import { firstKeys } from "./migrations/0030-first-keys.ts";
import { deletedEntries } from "./migrations/0009-deleted-entries.ts";
import { devices } from "./migrations/0004-devices.ts";
import { knownSteps } from "./migrations/0022-known-steps.ts";
import { hashedSessions } from "./migrations/0038-hashed-sessions.ts";
import { heldMails } from "./migrations/0026-held-mails.ts";
import { keys } from "./migrations/0003-keys.ts";
import { leftDevices } from "./migrations/0035-left-devices.ts";
import { mail } from "./migrations/0006-mail.ts";
import { nodes } from "./migrations/0015-nodes.ts";
import { notifications } from "./migrations/0005-notifications.ts";
import { pairing } from "./migrations/0013-pairing.ts";
import { postOnlyKeys } from "./migrations/0023-post-only-keys.ts";
import { rates } from "./migrations/0017-rates.ts";
import { refusedMails } from "./migrations/0024-refused-mails.ts";
import { tries } from "./migrations/0018-tries.ts";
import { activityTally } from "./migrations/0019-activity-tally.ts";
import { signIn } from "./migrations/0008-sign-in.ts";
import { teams } from "./migrations/0002-teams.ts";
import { toldChanges } from "./migrations/0016-told-changes.ts";
import { toldEndings } from "./migrations/0031-told-endings.ts";
import { icon } from "./migrations/0036-icon.ts";
import { markdown } from "./migrations/0033-markdown.ts";
import { markedAttempts } from "./migrations/0037-marked-attempts.ts";
import { waitingJobs } from "./migrations/0007-waiting-jobs.ts";

/** One numbered step forward. It is never edited after its release, and cannot be undone. */
export interface Migration {
  /**
   * Number and subject. Earlier versions can use a database after a step that only adds. If a step removes or changes
   * something that an earlier version uses, its name ends with the number of the first step whose version no longer
   * needs it: `0099-drop-labels.needs-0098`.
   */
  readonly name: string;
  up(to: MigrationTarget): Promise<void>;
}

/** The database that a step changes. */
export interface MigrationTarget {
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
  activityTally,
  auditLog,
  knownSteps,
  postOnlyKeys,
  refusedMails,
  heldMails,
  firstKeys,
  toldEndings,
  markdown,
  leftDevices,
  icon,
  markedAttempts,
  hashedSessions,
];

/** Names of all steps that this version knows, in order. */
export const STEP_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/** The last step that this version knows. */
export const LAST_STEP = STEP_NAMES.at(-1) ?? "";

/** The applied steps of a database, compared with the steps that this version knows. */
export interface Steps {
  /** Steps that the next start applies. */
  readonly pending: readonly string[];
  /** Steps that only a later version knows. */
  readonly unknown: readonly string[];
  /** True if a later version removed something that this one uses. */
  readonly isTooNew: boolean;
}

/** Compares the names of a database's applied steps with the steps of this version. */
export function compareSteps(applied: readonly string[]): Steps {
  const unknown = applied.filter((name) => !STEP_NAMES.includes(name));
  const lastNumber = numberOf(LAST_STEP);
  return {
    pending: STEP_NAMES.filter((name) => !applied.includes(name)),
    unknown,
    isTooNew: unknown.some((name) => requiredStep(name) > lastNumber),
  };
}

/** Thrown if a later version has changed the database in a way that this one cannot use. */
export class LaterVersionError extends Error {
  override readonly name = "LaterVersionError";
}

/**
 * Migrates the tables to this version, and returns the names of the steps that it applied. On the database of a later
 * version it applies none, and throws a `LaterVersionError` unless this version can use the database.
 */
export async function migrate({ db, engine }: Database): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => steps(engine) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return results.map((result) => result.migrationName);
  const failed = results.find((result) => result.status === "Error");
  const { pending, unknown, isTooNew } = compareSteps(await takenSteps(db).catch(() => []));
  if (unknown.length > 0 && pending.length === 0) {
    if (!isTooNew) return [];
    throw new LaterVersionError(`A later version has taken ${unknown.join(", ")}.`);
  }
  throw new Error(`Migration ${failed?.migrationName ?? "set-up"} failed.`, { cause: error });
}

/** Returns the steps of a database that only a later version knows. The tables must exist. */
export async function findLaterSteps({ db }: Database): Promise<readonly string[]> {
  return compareSteps(await takenSteps(db)).unknown;
}

/** Returns the names of the steps that were applied to a database. The tables must exist. */
export async function takenSteps(db: Kysely<Schema>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** Returns the number of the first step whose version can use a database after the given step. */
function requiredStep(name: string): number {
  return Number(/\.needs-(\d+)$/.exec(name)?.[1] ?? 0);
}

function steps(engine: Engine) {
  return Object.fromEntries(
    MIGRATIONS.map((step) => [step.name, { up: (db: Kysely<Schema>) => step.up({ db, engine }) }]),
  );
}
