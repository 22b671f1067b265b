import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { CreatedTeam, Device } from "@tocsin/sdk";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { idOf } from "../support/log.ts";
import { linkToken } from "../support/link-token.ts";
import { memberIdOf } from "../support/membership.ts";

/** Callers. Both tokens and the paired session belong to the owner. */
export const PRINCIPALS = [
  // First, as the owner's requests may end it.
  "pairedSession",
  "owner",
  "accessToken",
  "admin",
  "member",
  "other",
  "formerMember",
  "administrator",
  "anonymous",
  "revokedToken",
] as const;

/** A caller in the tests of access rights. */
export type Principal = (typeof PRINCIPALS)[number];

/** An app with an owner, an admin and members of a team, and accounts outside it. */
export interface Stage {
  readonly app: TestApp;
  readonly owner: TestPerson;
  readonly admin: TestPerson;
  readonly member: TestPerson;
  /** Another plain member, the target of changes. */
  readonly target: TestPerson;
  readonly other: TestPerson;
  /** A former member of every team. */
  readonly formerMember: TestPerson;
  /** The server administrator, in no team. */
  readonly administrator: TestPerson;
  /** Request headers with each principal's credentials. */
  readonly credentials: Readonly<Record<Principal, Readonly<Record<string, string>>>>;
  /** Creates a new team of the owner with its admin and members. */
  team(): Promise<CreatedTeam>;
  /** Registers a new device of the owner. */
  device(): Promise<Device>;
  /** Sends a notification with the key; returns its id. */
  notification(key: string): Promise<string>;
  /** Invites `other` to a new team; returns the invitation and the token of its link. */
  invitation(
    inviter: TestPerson,
  ): Promise<{ readonly teamId: string; readonly id: string; readonly token: string }>;
}

/** Starts the app and signs up all principals, with verified email addresses. */
export async function startStage(t: TestContext): Promise<Stage> {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const people = await Promise.all(
    ["Olga", "Adam", "Mia", "Tim", "Otto", "Fred", "Alma"].map((name) => signUp(app, name)),
  );
  const [owner, admin, member, target, other, formerMember, administrator] = people;
  if (!owner || !admin || !member || !target || !other) throw new Error("A person is missing.");
  if (!formerMember || !administrator) throw new Error("A person is missing.");
  const { db } = app.app.context.database;
  await db.updateTable("account").set({ email_verified: 1 }).execute();
  await db
    .updateTable("account")
    .set({ is_admin: 1 })
    .where("id", "=", administrator.accountId)
    .execute();
  const team = async () => {
    const created = await owner.client.teams.create({ name: "Ops" });
    const roles = [
      [admin, "admin"],
      [member, "member"],
      [target, "member"],
      [formerMember, "admin"],
    ] as const;
    for (const [{ accountId }, role] of roles)
      await join(app, { teamId: created.id, accountId, role });
    const formerMemberId = await memberIdOf(owner, created.id, formerMember);
    await owner.client.teams.removeMember(created.id, formerMemberId);
    return created;
  };
  return {
    app,
    owner,
    admin,
    member,
    target,
    other,
    formerMember,
    administrator,
    credentials: await createCredentials(app, {
      owner,
      admin,
      member,
      other,
      formerMember,
      administrator,
    }),
    team,
    device: async () => (await addDevice(app, owner)).device,
    notification: async (key) => {
      const sent = await owner.withKey(key).notify({ title: "Hello", body: "World" });
      return idOf(sent);
    },
    invitation: async (inviter) => {
      const { id: teamId } = await team();
      await backdateInvitations(app, inviter);
      const { id, link } = await inviter.client.teams.invite(teamId, { email: other.email });
      return { teamId, id, token: linkToken(link) };
    },
  };
}

/** Dates a person's invitations back by one day: an account may send only 20 a day. */
async function backdateInvitations({ app }: TestApp, { accountId }: TestPerson): Promise<void> {
  const { database, now } = app.context;
  await database.db
    .updateTable("invitation")
    .set({ created_at: now() - DAY_MS, mailed_at: null })
    .where("invited_by", "=", accountId)
    .execute();
}

const DAY_MS = 24 * 60 * 60_000;

/** Inserts the membership directly into the database: the API allows only 20 invitations a day. */
async function join(
  { app }: TestApp,
  membership: { teamId: string; accountId: string; role: "admin" | "member" },
): Promise<void> {
  const { teamId: team_id, accountId: account_id, role } = membership;
  const { database, newId, now } = app.context;
  const row = { id: newId(), team_id, account_id, role, joined_at: now(), left_at: null };
  await database.db.insertInto("team_member").values(row).execute();
}

async function createCredentials(
  app: TestApp,
  people: Pick<Stage, "owner" | "admin" | "member" | "other" | "formerMember" | "administrator">,
): Promise<Stage["credentials"]> {
  const { owner, admin, member, other, formerMember, administrator } = people;
  const revoked = await owner.client.accessTokens.create({ label: "lost" });
  await owner.client.accessTokens.remove(revoked.id);
  const ownerSession = await session(app, owner);
  return {
    pairedSession: await pairBrowser(app, ownerSession),
    owner: ownerSession,
    accessToken: await token(owner),
    admin: await token(admin),
    member: await session(app, member),
    other: await token(other),
    formerMember: await session(app, formerMember),
    administrator: await session(app, administrator),
    anonymous: {},
    revokedToken: { authorization: `Bearer ${revoked.token}` },
  };
}

async function token({ client }: TestPerson): Promise<Record<string, string>> {
  const issued = await client.accessTokens.create({ label: "matrix" });
  return { authorization: `Bearer ${issued.token}` };
}

/** Returns the password of a person, which `signUp` derives from the name. */
export function passwordOf({ email }: Pick<TestPerson, "email">): string {
  const name = email.split("@")[0] ?? "";
  return `password of ${name[0]?.toUpperCase()}${name.slice(1)}`;
}

/** Signs a person in and returns the cookie header that their browser would send. */
export async function session(
  { url }: Pick<TestApp, "url">,
  { email }: Pick<TestPerson, "email">,
): Promise<Record<string, string>> {
  const password = passwordOf({ email });
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return { cookie: cookieOf(response) };
}

function cookieOf(response: Response): string {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  return cookies.join("; ");
}

/** Pairs a browser and returns its cookie header. */
async function pairBrowser(
  { url }: TestApp,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
  const pairing = await fetch(`${url}/api/app/v1/pairings`, { method: "POST", headers });
  // The operation returns this shape.
  const { code } = (await pairing.json()) as { code: string };
  const response = await fetch(`${url}/api/auth/pair`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  return { cookie: cookieOf(response) };
}

/** Returns a well-formed id that does not exist. */
export function missingId(): string {
  return `0197f0a0-0000-7000-8000-${randomUUID().slice(-12)}`;
}
