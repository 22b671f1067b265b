import { sql, type Kysely, type SqlBool } from "kysely";
import { since, type Actor, type AuditEvent } from "#audit/event.ts";
import { record } from "#audit/store.ts";
import type { Context, DatabaseContext } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { AddressProof } from "../store/addresses.ts";
import { endAdministratorsLinks, endSignIns, holdLinks } from "../store/links.ts";
import { ADMINISTRATORS } from "../store/accounts.ts";

/** An account as administrators see it; moments in milliseconds since the epoch. */
export interface ListedAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isEmailVerified: boolean;
  readonly createdAt: number;
  /** The later of the last prolongation of a session, once a day, and the last use of an access token; null for neither. */
  readonly lastSeenAt: number | null;
  readonly suspendedAt: number | null;
}

/** Changes to an account; undefined fields stay as they are. */
export interface AccountChange {
  readonly id: string;
  readonly isAdmin: boolean | undefined;
  readonly isSuspended: boolean | undefined;
  /** An administrator vouches for the address; this is never reverted. */
  readonly isEmailVerified?: true | undefined;
}

/** Returns up to `limit` accounts, newest first, after the id `after`; with `words`, those with all of them in name or address. */
export async function listAccounts(
  { database: { db, engine } }: Context,
  input: {
    readonly words: readonly string[];
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<readonly ListedAccount[]> {
  let query = listed(db).orderBy("account.id", "desc").limit(input.limit);
  if (input.after !== null) query = query.where("account.id", "<", input.after);
  for (const word of input.words) {
    query = query.where((of) =>
      of.or([
        engine.contains(of.ref("account.name"), word),
        engine.contains(of.ref("account.email"), word),
      ]),
    );
  }
  return (await query.execute()).map(listedOf);
}

/** Returns at most 500 accounts by their ids; omits deleted ones. */
export async function findListedAccounts(
  { database: { db } }: Context,
  ids: readonly string[],
): Promise<readonly ListedAccount[]> {
  if (ids.length === 0) return [];
  const rows = await listed(db).where("account.id", "in", ids.slice(0, FOUND_MAX)).execute();
  return rows.map(listedOf);
}

const FOUND_MAX = 500;

/** Returns one account; null for one that was deleted or never existed. */
export async function findListedAccount(
  { database: { db } }: Context,
  id: string,
): Promise<ListedAccount | null> {
  const row = await listed(db).where("account.id", "=", id).executeTakeFirst();
  return row === undefined ? null : listedOf(row);
}

/** Returns the administrator with the oldest account who can sign in; null if there is none. */
export async function findFirstAdministrator({
  database: { db },
}: DatabaseContext): Promise<{ readonly id: string; readonly email: string } | null> {
  const row = await db
    .selectFrom("account")
    .select(["id", "email"])
    .where("suspended_at", "is", null)
    .where("email", "not like", "%@deleted.invalid")
    // Works with the boolean type of either engine.
    .where(sql<SqlBool>`is_admin`)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Changes an account. A suspended one loses its sessions and links, and an administrator who loses the role also the
 * links they handed over. Returns false, with nothing changed, if no administrator would be left who can sign in.
 */
export async function changeAccount(
  context: Context,
  change: AccountChange & { readonly by: Actor },
): Promise<boolean> {
  const { database, now } = context;
  const { id, isAdmin, isSuspended, isEmailVerified } = change;
  const moment = new Date(now()).toISOString();
  return database.transaction(async (db) => {
    const isLess = isAdmin === false || isSuspended === true;
    // Two administrators who leave concurrently would each count the other as remaining.
    if (isLess) await database.engine.hold(ADMINISTRATORS).execute(db);
    if (isLess && !(await hasOtherAdministrator(db, id))) return false;
    await holdLinks(db, { engine: database.engine, accountId: id });
    await db
      .updateTable("account")
      .set({
        updated_at: moment,
        ...(isAdmin === undefined ? {} : { is_admin: isAdmin ? 1 : 0 }),
        ...(isEmailVerified === undefined ? {} : { email_verified: 1 }),
        ...(isSuspended === undefined ? {} : { suspended_at: isSuspended ? now() : null }),
      })
      .where("id", "=", id)
      .execute();
    if (isSuspended === true) await endSignIns(db, id);
    if (isLess) await endAdministratorsLinks(db, id);
    for (const event of eventsOf(change)) await record(db, context, event);
    return true;
  });
}

function eventsOf(change: AccountChange & { readonly by: Actor }): readonly AuditEvent[] {
  const { id: accountId, isAdmin, isSuspended, isEmailVerified, by } = change;
  const events: AuditEvent[] = [];
  if (isAdmin !== undefined) {
    const changes = [since("isAdmin", String(isAdmin))];
    events.push({ action: "account_role_changed", by, accountId, changes });
  }
  if (isSuspended !== undefined) {
    const action = isSuspended ? "account_suspended" : "account_opened";
    events.push({ action, by, accountId });
  }
  if (isEmailVerified !== undefined) {
    const proof: AddressProof = "administrator";
    events.push({ action: "email_confirmed", by, accountId, changes: [since("method", proof)] });
  }
  return events;
}

/** Excludes deleted accounts, whose rows stay without a name or address of theirs (RFC 2606 section 2). */
function listed(db: Kysely<Schema>) {
  return db
    .selectFrom("account")
    .select(["account.id", "email", "name", "is_admin", "email_verified", "suspended_at"])
    .select("account.created_at")
    .select((of) => [
      of
        .selectFrom("session")
        .whereRef("session.account_id", "=", "account.id")
        .select(({ fn }) => fn.max("session.updated_at").as("at"))
        .as("session_at"),
      of
        .selectFrom("access_token")
        .whereRef("access_token.account_id", "=", "account.id")
        .select(({ fn }) => fn.max("access_token.last_used_at").as("at"))
        .as("token_at"),
    ])
    .where("email", "not like", "%@deleted.invalid");
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof listed>["execute"]>>[number];

function listedOf(row: ListedRow): ListedAccount {
  const { id, email, name, suspended_at: suspendedAt } = row;
  const seen = [
    ...(row.session_at === null ? [] : [new Date(row.session_at).getTime()]),
    ...(row.token_at === null ? [] : [row.token_at]),
  ];
  return {
    id,
    email,
    name,
    isAdmin: Boolean(row.is_admin),
    isEmailVerified: Boolean(row.email_verified),
    createdAt: new Date(row.created_at).getTime(),
    lastSeenAt: seen.length === 0 ? null : Math.max(...seen),
    suspendedAt,
  };
}

async function hasOtherAdministrator(db: Kysely<Schema>, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("account")
    .select("id")
    .where("id", "<>", id)
    .where("suspended_at", "is", null)
    // Works with the boolean type of either engine.
    .where(sql<SqlBool>`is_admin`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
