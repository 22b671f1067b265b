import { sql, type Kysely, type SqlBool } from "kysely";
import { toChangedValue, type Actor, type AuditEvent } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context, DatabaseContext } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import type { Mail } from "#mail/mail.ts";
import { insertMailQuery } from "#mail/store/outbox.ts";
import type { Account } from "../account.ts";
import type { AddressProof } from "./addresses.ts";
import { spendInvitation } from "../invitations/store.ts";
import { deleteIdleCounters } from "./attempts.ts";

/** An account to create, and the changes in the same commit. */
export interface NewAccount extends Omit<Account, "isEmailVerified"> {
  /** Null if the address is not verified. */
  readonly addressProof: AddressProof | null;
  /** The hash in the form that `hashPassword` returns; null if the account has no password. */
  readonly passwordHash: string | null;
  /** Hash of the set-up token that this account uses up. */
  readonly setUpTokenHash: string | null;
  /** Hash of the token of an administrator's invitation that this account uses up. */
  readonly invitationHash: string | null;
  readonly mail: Mail | null;
  /** The actor who creates the account. */
  readonly actor: Actor;
  /** Runs a step of another room in the same transaction. Nothing changes if it throws. */
  readonly runJoinedStep?: (db: Kysely<Schema>) => Promise<void>;
}

/** Name of the lock on the set of administrators. */
export const ADMINISTRATORS_LOCK = "administrators";

/** Returns the name of the lock on an email address. */
export function toAddressLockName(email: string): string {
  return `address ${email}`;
}

/** The reason that no account was created: the address has an account, or the link is used or expired. */
export type InsertRefusal = "email_taken" | "link_expired";

/** Creates an account in one commit. Returns the reason for a refusal; null on success. */
export async function insertAccount(
  context: Context,
  account: NewAccount,
): Promise<InsertRefusal | null> {
  const { mail, setUpTokenHash, invitationHash } = account;
  const { engine } = context.database;
  return context.database.transaction(async (db) => {
    await engine.lockName(toAddressLockName(account.email)).execute(db);
    if (setUpTokenHash !== null) await engine.lockName(ADMINISTRATORS_LOCK).execute(db);
    if (await hasAccount(db, account.email)) return "email_taken";
    if (setUpTokenHash !== null && !(await spendSetUpToken(db, setUpTokenHash))) {
      return "link_expired";
    }
    const now = context.now();
    if (invitationHash !== null && !(await spendInvitation(db, { invitationHash, now }))) {
      return "link_expired";
    }
    if (!(await insertAccountRows(db, context, account))) return "email_taken";
    // Otherwise an old link would work again after this administrator is gone.
    if (account.isAdmin) await db.deleteFrom("setup_token").execute();
    if (mail !== null) await db.executeQuery(insertMailQuery(context, mail).compile());
    await recordEvent(db, context, createAccountEvent(account));
    await account.runJoinedStep?.(db);
    return null;
  });
}

function createAccountEvent({
  id: accountId,
  actor,
  isAdmin,
  addressProof,
}: NewAccount): AuditEvent {
  const proof = addressProof === null ? [] : [toChangedValue("addressProof", addressProof)];
  const changes = [toChangedValue("isAdmin", String(isAdmin)), ...proof];
  return { action: "account_created", actor, accountId, changes };
}

/** Replaces the set-up token; returns false if there is an administrator. */
export async function replaceSetUpToken(
  { database, now }: Context,
  tokenHash: string,
): Promise<boolean> {
  const created_at = now();
  return database.transaction(async (db) => {
    await database.engine.lockName(ADMINISTRATORS_LOCK).execute(db);
    if (await hasAdministrator(db)) return false;
    await db.deleteFrom("setup_token").execute();
    await db.insertInto("setup_token").values({ token_hash: tokenHash, created_at }).execute();
    return true;
  });
}

/** Returns whether a set-up token is valid, by its hash. */
export async function isValidSetUpToken(
  { database: { db } }: Context,
  tokenHash: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("setup_token")
    .select("token_hash")
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return row !== undefined && !(await hasAdministrator(db));
}

/** Returns whether the server has an administrator, so that set-up links no longer work. */
export async function isSetUp({ database: { db } }: DatabaseContext): Promise<boolean> {
  return hasAdministrator(db);
}

/** Returns the account with this id; null if there is none. */
export async function findAccount(
  { database: { db } }: Context,
  id: string,
): Promise<Account | null> {
  const row = await db
    .selectFrom("account")
    .select(ACCOUNT_COLUMNS)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : toAccount(row);
}

/** Returns the account with this email address, in any letter case; null if there is none. */
export async function findAccountByEmail(
  { database: { db } }: Context,
  email: string,
): Promise<Account | null> {
  const row = await db
    .selectFrom("account")
    .select(ACCOUNT_COLUMNS)
    .where("email", "=", email.toLowerCase())
    .executeTakeFirst();
  return row === undefined ? null : toAccount(row);
}

/** A statement of another room that runs in a transaction of this room. */
export type JoinedStatement = Compilable;

/** A step of another room in a transaction of this room. Returns false if it is no longer possible. */
export type JoinedStep = (db: Kysely<Schema>) => Promise<boolean>;

/** Returns the stored hash of the account's password; null if there is none. */
export async function findPasswordHash(
  { database: { db } }: Context,
  accountId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom("credential")
    .select("password")
    .where("account_id", "=", accountId)
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  return row?.password ?? null;
}

/** Deletes expired sessions, links, challenges, pairings and invitations, and idle counters. Safe to repeat. */
export async function removeExpired(context: Context): Promise<void> {
  const { database, now } = context;
  const { db } = database;
  const timestamp = formatTime(now());
  await database.atomically([
    db.deleteFrom("session").where("expires_at", "<", timestamp),
    db.deleteFrom("verification").where("expires_at", "<", timestamp),
    db.deleteFrom("challenge").where("expires_at", "<=", now()),
    db.deleteFrom("pairing").where("expires_at", "<=", now()),
    db.deleteFrom("sign_up_invitation").where("expires_at", "<=", now()),
    // Earlier versions stored the IP address of a session.
    db.updateTable("session").set({ ip_address: null }).where("ip_address", "is not", null),
  ]);
  // A hashed network can be found by trying all networks, so idle counters are deleted.
  if (database.engine.name === "postgres") await deleteIdleCounters(context);
}

/** The columns of an account, for queries of this room that join it. */
export const ACCOUNT_COLUMNS = [
  "account.id",
  "account.email",
  "account.name",
  "account.is_admin",
  "account.email_verified",
] as const;

interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: number | boolean;
  readonly email_verified: number | boolean;
}

/** Converts a row of `ACCOUNT_COLUMNS` to an account. */
export function toAccount(row: AccountRow): Account {
  const { id, email, name } = row;
  const isAdmin = Boolean(row.is_admin);
  return { id, email, name, isAdmin, isEmailVerified: Boolean(row.email_verified) };
}

async function hasAdministrator(db: Kysely<Schema>): Promise<boolean> {
  const row = await db
    .selectFrom("account")
    .select("id")
    // Works with the boolean type of either engine.
    .where(sql<SqlBool>`is_admin`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function spendSetUpToken(db: Kysely<Schema>, tokenHash: string): Promise<boolean> {
  const spentToken = await db
    .deleteFrom("setup_token")
    .where("token_hash", "=", tokenHash)
    .returning("token_hash")
    .executeTakeFirst();
  return spentToken !== undefined && !(await hasAdministrator(db));
}

/** Inserts the account and its password; returns false if the address has an account. */
async function insertAccountRows(
  db: Kysely<Schema>,
  { now, newId }: Context,
  account: NewAccount,
): Promise<boolean> {
  const timestamp = formatTime(now());
  const timestamps = { created_at: timestamp, updated_at: timestamp };
  const insertedRow = await db
    .insertInto("account")
    .values({
      id: account.id,
      name: account.name,
      email: account.email,
      email_verified: account.addressProof === null ? 0 : 1,
      image: null,
      is_admin: account.isAdmin ? 1 : 0,
      ...timestamps,
    })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (insertedRow === undefined) return false;
  if (account.passwordHash === null) return true;
  await db
    .insertInto("credential")
    .values({
      id: newId(),
      account_id: account.id,
      provider_id: "credential",
      subject: account.id,
      password: account.passwordHash,
      ...timestamps,
    })
    .execute();
  return true;
}

/** Formats a time for its column. PostgreSQL reads the same format as SQLite. */
function formatTime(time: number): string {
  return new Date(time).toISOString();
}

async function hasAccount(db: Kysely<Schema>, email: string): Promise<boolean> {
  const row = await db
    .selectFrom("account")
    .select("id")
    .where("email", "=", email)
    .executeTakeFirst();
  return row !== undefined;
}
