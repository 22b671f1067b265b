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

/** One numbered step forward; never edited once released, and without a way back. */
export interface Migration {
  /**
   * Number and subject. Earlier versions work on a database that has taken the step if it only adds. If it removes or
   * changes something that an earlier version uses, the name ends with the number of the first step whose version does
   * without it: `0099-drop-labels.needs-0098`.
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

/** Names of all steps that this version knows, in their order. */
export const STEP_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/** The last step that this version knows. */
export const LAST_STEP = STEP_NAMES.at(-1) ?? "";

/** The steps that a database has taken, compared with those that this version knows. */
export interface Steps {
  /** Steps that the next start takes. */
  readonly pending: readonly string[];
  /** Steps that only a later version knows. */
  readonly unknown: readonly string[];
  /** True if a later version removed something that this one uses. */
  readonly isTooNew: boolean;
}

/** Returns how the names of the steps that a database has taken compare with ours. */
export function compareSteps(taken: readonly string[]): Steps {
  const unknown = taken.filter((name) => !STEP_NAMES.includes(name));
  const known = numberOf(LAST_STEP);
  return {
    pending: STEP_NAMES.filter((name) => !taken.includes(name)),
    unknown,
    isTooNew: unknown.some((name) => neededBy(name) > known),
  };
}

/** Thrown if a later version has changed the database so that this one cannot work on it. */
export class LaterVersionError extends Error {
  override readonly name = "LaterVersionError";
}

/**
 * Migrates the tables to this version; returns the names of the steps that were taken. On a database of a later version
 * it takes none, and throws a `LaterVersionError` unless this version can work on it.
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

/** Returns the steps of a database that only a later version knows; its tables must exist. */
export async function findLaterSteps({ db }: Database): Promise<readonly string[]> {
  return compareSteps(await takenSteps(db)).unknown;
}

/** Returns the names of the steps that a database has taken; its tables must exist. */
export async function takenSteps(db: Kysely<Schema>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** Returns the number of the first step whose version works on a database that has taken a step. */
function neededBy(name: string): number {
  return Number(/\.needs-(\d+)$/.exec(name)?.[1] ?? 0);
}

function steps(engine: Engine) {
  return Object.fromEntries(
    MIGRATIONS.map((step) => [step.name, { up: (db: Kysely<Schema>) => step.up({ db, engine }) }]),
  );
}
