import { sql, type Kysely, type SqlBool } from "kysely";
import { toChangedValue, type Actor, type AuditEvent } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context, DatabaseContext } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { AddressProof } from "../store/addresses.ts";
import { endFormerAdministratorLinks, endAllAccess, lockMailedLinks } from "../store/links.ts";
import { ADMINISTRATORS_LOCK } from "../store/accounts.ts";

/** An account as administrators see it. All times are milliseconds since the epoch. */
export interface ListedAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isEmailVerified: boolean;
  readonly createdAt: number;
  /** Time of the last use of a session (accurate to a day) or access token; null if there is none. */
  readonly lastSeenAt: number | null;
  readonly suspendedAt: number | null;
}

/** The changes to an account. Undefined fields keep their value. */
export interface AccountChange {
  readonly id: string;
  readonly isAdmin: boolean | undefined;
  readonly isSuspended: boolean | undefined;
  /** True if an administrator confirms the address. This is never reverted. */
  readonly isEmailVerified?: true | undefined;
}

/**
 * Returns up to `limit` accounts, newest first, after the id `after`. Each of `words` must occur in the name or email
 * address.
 */
export async function listAccounts(
  { database: { db, engine } }: Context,
  input: {
    readonly words: readonly string[];
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<readonly ListedAccount[]> {
  let query = selectListedAccounts(db).orderBy("account.id", "desc").limit(input.limit);
  if (input.after !== null) query = query.where("account.id", "<", input.after);
  for (const word of input.words) {
    query = query.where((eb) =>
      eb.or([
        engine.contains(eb.ref("account.name"), word),
        engine.contains(eb.ref("account.email"), word),
      ]),
    );
  }
  return (await query.execute()).map(toListedAccount);
}

/** Returns at most 500 accounts by id. Omits deleted accounts. */
export async function findListedAccounts(
  { database: { db } }: Context,
  ids: readonly string[],
): Promise<readonly ListedAccount[]> {
  if (ids.length === 0) return [];
  const rows = await selectListedAccounts(db)
    .where("account.id", "in", ids.slice(0, IDS_MAX))
    .execute();
  return rows.map(toListedAccount);
}

/** Maximum number of ids in one query. */
const IDS_MAX = 500;

/** Returns an account by id; null if it was deleted or never existed. */
export async function findListedAccount(
  { database: { db } }: Context,
  id: string,
): Promise<ListedAccount | null> {
  const row = await selectListedAccounts(db).where("account.id", "=", id).executeTakeFirst();
  return row === undefined ? null : toListedAccount(row);
}

/** Returns the oldest administrator account that can sign in; null if there is none. */
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
 * Changes an account. Suspending an account ends its sessions and links. The links and invitations of a former or
 * suspended administrator end too. Returns false and changes nothing if no administrator would be left who can sign in.
 */
export async function changeAccount(
  context: Context,
  change: AccountChange & { readonly actor: Actor },
): Promise<boolean> {
  const { database, now } = context;
  const { id, isAdmin, isSuspended, isEmailVerified } = change;
  const timestamp = new Date(now()).toISOString();
  return database.transaction(async (db) => {
    const losesRights = isAdmin === false || isSuspended === true;
    // Otherwise two administrators who lose the role concurrently would each count the other as remaining.
    if (losesRights) await database.engine.lockName(ADMINISTRATORS_LOCK).execute(db);
    if (losesRights && !(await hasOtherAdministrator(db, id))) return false;
    await lockMailedLinks(db, { engine: database.engine, accountId: id });
    await db
      .updateTable("account")
      .set({
        updated_at: timestamp,
        ...(isAdmin === undefined ? {} : { is_admin: isAdmin ? 1 : 0 }),
        ...(isEmailVerified === undefined ? {} : { email_verified: 1 }),
        ...(isSuspended === undefined ? {} : { suspended_at: isSuspended ? now() : null }),
      })
      .where("id", "=", id)
      .execute();
    if (isSuspended === true) await endAllAccess(db, id);
    if (losesRights) await endFormerAdministratorLinks(db, id);
    for (const event of toEvents(change)) await recordEvent(db, context, event);
    return true;
  });
}

function toEvents(change: AccountChange & { readonly actor: Actor }): readonly AuditEvent[] {
  const { id: accountId, isAdmin, isSuspended, isEmailVerified, actor } = change;
  const events: AuditEvent[] = [];
  if (isAdmin !== undefined) {
    const changes = [toChangedValue("isAdmin", String(isAdmin))];
    events.push({ action: "account_role_changed", actor, accountId, changes });
  }
  if (isSuspended !== undefined) {
    const action = isSuspended ? "account_suspended" : "account_opened";
    events.push({ action, actor, accountId });
  }
  if (isEmailVerified !== undefined) {
    const proof: AddressProof = "administrator";
    events.push({
      action: "email_confirmed",
      actor,
      accountId,
      changes: [toChangedValue("method", proof)],
    });
  }
  return events;
}

/** Returns a query for all accounts except deleted ones, whose anonymised rows stay. */
function selectListedAccounts(db: Kysely<Schema>) {
  return db
    .selectFrom("account")
    .select(["account.id", "email", "name", "is_admin", "email_verified", "suspended_at"])
    .select("account.created_at")
    .select((eb) => [
      eb
        .selectFrom("session")
        .whereRef("session.account_id", "=", "account.id")
        .select(({ fn }) => fn.max("session.updated_at").as("at"))
        .as("session_at"),
      eb
        .selectFrom("access_token")
        .whereRef("access_token.account_id", "=", "account.id")
        .select(({ fn }) => fn.max("access_token.last_used_at").as("at"))
        .as("token_at"),
    ])
    .where("email", "not like", "%@deleted.invalid");
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof selectListedAccounts>["execute"]>>[number];

function toListedAccount(row: ListedRow): ListedAccount {
  const { id, email, name, suspended_at: suspendedAt } = row;
  const lastUses = [
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
    lastSeenAt: lastUses.length === 0 ? null : Math.max(...lastUses),
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
