import { sql, type Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { Database } from "./database.ts";
import type { Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";
import { accounts } from "./migrations/0001-accounts.ts";
import { teams } from "./migrations/0002-teams.ts";
import { keys } from "./migrations/0003-keys.ts";
import { devices } from "./migrations/0004-devices.ts";
import { notifications } from "./migrations/0005-notifications.ts";
import { mail } from "./migrations/0006-mail.ts";
import { waitingJobs } from "./migrations/0007-waiting-jobs.ts";
import { signIn } from "./migrations/0008-sign-in.ts";
import { deletedEntries } from "./migrations/0009-deleted-entries.ts";
import { activity } from "./migrations/0010-activity.ts";
import { administration } from "./migrations/0012-administration.ts";
import { pairing } from "./migrations/0013-pairing.ts";
import { nodes } from "./migrations/0015-nodes.ts";
import { toldChanges } from "./migrations/0016-told-changes.ts";
import { rates } from "./migrations/0017-rates.ts";
import { tries } from "./migrations/0018-tries.ts";
import { activityTally } from "./migrations/0019-activity-tally.ts";
import { auditLog } from "./migrations/0021-audit-log.ts";
import { knownSteps } from "./migrations/0022-known-steps.ts";
import { postOnlyKeys } from "./migrations/0023-post-only-keys.ts";
import { refusedMails } from "./migrations/0024-refused-mails.ts";
import { heldMails } from "./migrations/0026-held-mails.ts";
import { firstKeys } from "./migrations/0030-first-keys.ts";
import { toldEndings } from "./migrations/0031-told-endings.ts";
import { markdown } from "./migrations/0033-markdown.ts";
import { leftDevices } from "./migrations/0035-left-devices.ts";
import { icon } from "./migrations/0036-icon.ts";
import { markedSteps } from "./migrations/0037-marked-attempts.ts";
import { hashedSessions } from "./migrations/0038-hashed-sessions.ts";
import { rowsWithoutId } from "./migrations/0039-rows-without-id.ts";
import { timers } from "./migrations/0040-timers.ts";
import { callbacks } from "./migrations/0041-callbacks.ts";
import { priority } from "./migrations/0042-priority.ts";
import { acting } from "./migrations/0043-acting.ts";
import { deviceActionKey } from "./migrations/0044-device-action-key.ts";
import { escalationPolicies } from "./migrations/0045-escalation-policies.ts";
import { incidents } from "./migrations/0046-incidents.ts";
import { prompts } from "./migrations/0047-prompts.ts";
import { alarmMails } from "./migrations/0048-alarm-mails.ts";
import { incidentOwners } from "./migrations/0049-incident-owners.ts";
import { countedIncidents } from "./migrations/0050-counted-incidents.ts";
import { accountIncidents } from "./migrations/0051-account-incidents.ts";
import { extras } from "./migrations/0052-extras.ts";
import { dialectKeys } from "./migrations/0053-dialect-keys.ts";
import { connectedApps } from "./migrations/0054-connected-apps.ts";
import { iphoneApps } from "./migrations/0055-iphone-apps.ts";

/** One numbered change of the tables. It is never edited after its release, and cannot be undone. */
export interface Migration {
  /**
   * Number and subject. Earlier versions can use a database after a migration that only adds. If a migration removes or
   * changes something that an earlier version uses, its name ends with the number of the first migration whose version
   * no longer needs it: `0099-drop-labels.needs-0098`.
   */
  readonly name: string;
  /** Changes the tables, within the transaction of all pending migrations. */
  up(to: MigrationTarget): Promise<void>;
}

/** The database that a migration changes. */
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
  markedSteps,
  hashedSessions,
  rowsWithoutId,
  timers,
  callbacks,
  priority,
  acting,
  deviceActionKey,
  escalationPolicies,
  incidents,
  prompts,
  alarmMails,
  incidentOwners,
  countedIncidents,
  accountIncidents,
  extras,
  dialectKeys,
  connectedApps,
  iphoneApps,
];

/** The names of all migrations of this version, in order. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/** The name of the last migration of this version. */
export const LAST_MIGRATION_NAME = MIGRATION_NAMES.at(-1) ?? "";

/** The applied migrations of a database, compared with the migrations of this version. */
export interface MigrationStatus {
  /** Migrations that the next start applies. */
  readonly pending: readonly string[];
  /** Migrations that only a later version has. */
  readonly unknownMigrations: readonly string[];
  /** True if a later version removed something that this one uses. */
  readonly isTooNew: boolean;
}

/** Compares the names of a database's applied migrations with the migrations of this version. */
export function compareMigrations(applied: readonly string[]): MigrationStatus {
  const unknownMigrations = applied.filter((name) => !MIGRATION_NAMES.includes(name));
  const lastNumber = parseMigrationNumber(LAST_MIGRATION_NAME);
  return {
    pending: MIGRATION_NAMES.filter((name) => !applied.includes(name)),
    unknownMigrations,
    isTooNew: unknownMigrations.some((name) => parseRequiredNumber(name) > lastNumber),
  };
}

/** Thrown if a later version has changed the database in a way that this one cannot use. */
export class LaterVersionError extends Error {
  override readonly name = "LaterVersionError";
}

/**
 * Migrates the tables to this version, and returns the names of the applied migrations. On the database of a later
 * version it applies none, and throws a `LaterVersionError` unless this version can use the database.
 */
export async function migrate({ db, engine }: Database): Promise<readonly string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => toKyselyMigrations(engine) },
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return results.map((result) => result.migrationName);
  const failedResult = results.find((result) => result.status === "Error");
  const { pending, unknownMigrations, isTooNew } = compareMigrations(
    await listAppliedMigrations(db).catch(() => []),
  );
  if (unknownMigrations.length > 0 && pending.length === 0) {
    if (!isTooNew) return [];
    throw new LaterVersionError(`A later version has applied ${unknownMigrations.join(", ")}.`);
  }
  throw new Error(`Migration ${failedResult?.migrationName ?? "set-up"} failed.`, { cause: error });
}

/**
 * Returns whether a database lacks migrations of this version, or a later version has made it unusable. Makes
 * one query, so that the server starts quickly on a current database.
 */
export async function needsMigration({ db, engine }: Database): Promise<boolean> {
  const applied = await listAppliedMigrations(db).catch((error: unknown) => {
    if (engine.isUnavailable(error)) throw error;
    // A new database has no table of migrations.
    return [];
  });
  const { pending, isTooNew } = compareMigrations(applied);
  return pending.length > 0 || isTooNew;
}

/** Returns the applied migrations of a database that only a later version has. The tables must exist. */
export async function findLaterMigrations({ db }: Database): Promise<readonly string[]> {
  return compareMigrations(await listAppliedMigrations(db)).unknownMigrations;
}

/** Returns the names of the migrations that were applied to a database. The tables must exist. */
export async function listAppliedMigrations(db: Kysely<Schema>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

function parseMigrationNumber(name: string): number {
  return Number.parseInt(name, 10);
}

/** Returns the number of the first migration whose version can use a database after the given migration. */
function parseRequiredNumber(name: string): number {
  return Number(/\.needs-(\d+)$/.exec(name)?.[1] ?? 0);
}

function toKyselyMigrations(engine: Engine) {
  return Object.fromEntries(
    MIGRATIONS.map((migration) => [
      migration.name,
      { up: (db: Kysely<Schema>) => migration.up({ db, engine }) },
    ]),
  );
}
