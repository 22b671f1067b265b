import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { CreatedTeam, Device } from "@tocsin/sdk";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { getNotificationId } from "../support/notification-records.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { findMemberId } from "../support/team-members.ts";

/** The callers of every operation. `accessToken`, `revokedToken` and `pairedSession` belong to the owner. */
export const PRINCIPALS = [
  // Comes first, as the owner's requests may end this session.
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

/** An app with an owner, an admin and members of a team, and accounts outside the team. */
export interface AppFixture {
  readonly app: TestApp;
  readonly owner: TestPerson;
  readonly admin: TestPerson;
  readonly member: TestPerson;
  /** Another plain member, the target of changes. */
  readonly target: TestPerson;
  /** An account outside the team, which `createInvitation` invites. */
  readonly other: TestPerson;
  /** A former member of every team. */
  readonly formerMember: TestPerson;
  /** The server administrator, in no team. */
  readonly administrator: TestPerson;
  /** Request headers with each principal's credentials. */
  readonly credentials: Readonly<Record<Principal, Readonly<Record<string, string>>>>;
  /** Creates a new team of the owner with its admin and members. */
  createTeam(): Promise<CreatedTeam>;
  /** Registers a new device of the owner. */
  registerDevice(): Promise<Device>;
  /** Sends a notification with the key; returns the notification's id. */
  sendNotification(key: string): Promise<string>;
  /** Invites `other` to a new team; returns the invitation and the token of its link. */
  createInvitation(
    inviter: TestPerson,
  ): Promise<{ readonly teamId: string; readonly id: string; readonly token: string }>;
}

/** Starts the app and signs up all principals, with verified email addresses. */
export async function startAppFixture(t: TestContext): Promise<AppFixture> {
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
  const createTeam = async () => {
    const createdTeam = await owner.client.teams.create({ name: "Ops" });
    const roles = [
      [admin, "admin"],
      [member, "member"],
      [target, "member"],
      [formerMember, "admin"],
    ] as const;
    for (const [{ accountId }, role] of roles)
      await insertMembership(app, { teamId: createdTeam.id, accountId, role });
    const formerMemberAccountId = await findMemberId(owner, createdTeam.id, formerMember);
    await owner.client.teams.removeMember(createdTeam.id, formerMemberAccountId);
    return createdTeam;
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
    createTeam,
    registerDevice: async () => (await addDevice(app, owner)).device,
    sendNotification: async (key) => {
      const sendResponse = await owner.withKey(key).notify({ title: "Hello", body: "World" });
      return getNotificationId(sendResponse);
    },
    createInvitation: async (inviter) => {
      const { id: teamId } = await createTeam();
      await backdateInvitations(app, inviter);
      const { id, link } = await inviter.client.teams.invite(teamId, { email: other.email });
      return { teamId, id, token: parseLinkToken(link) };
    },
  };
}

const DAY_MS = 24 * 60 * 60_000;

/** Dates a person's invitations back by one day: an account may send only 20 a day. */
async function backdateInvitations({ app }: TestApp, { accountId }: TestPerson): Promise<void> {
  const { database, now } = app.context;
  await database.db
    .updateTable("invitation")
    .set({ created_at: now() - DAY_MS, mailed_at: null })
    .where("invited_by", "=", accountId)
    .execute();
}

/** Inserts the membership directly into the database: the API allows only 20 invitations a day. */
async function insertMembership(
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
  people: Pick<
    AppFixture,
    "owner" | "admin" | "member" | "other" | "formerMember" | "administrator"
  >,
): Promise<AppFixture["credentials"]> {
  const { owner, admin, member, other, formerMember, administrator } = people;
  const revoked = await owner.client.accessTokens.create({ label: "lost" });
  await owner.client.accessTokens.remove(revoked.id);
  const ownerSession = await createSessionHeaders(app, owner);
  return {
    pairedSession: await pairBrowser(app, ownerSession),
    owner: ownerSession,
    accessToken: await createTokenHeaders(owner),
    admin: await createTokenHeaders(admin),
    member: await createSessionHeaders(app, member),
    other: await createTokenHeaders(other),
    formerMember: await createSessionHeaders(app, formerMember),
    administrator: await createSessionHeaders(app, administrator),
    anonymous: {},
    revokedToken: { authorization: `Bearer ${revoked.token}` },
  };
}

async function createTokenHeaders({ client }: TestPerson): Promise<Record<string, string>> {
  const issuedToken = await client.accessTokens.create({ label: "token of the fixture" });
  return { authorization: `Bearer ${issuedToken.token}` };
}

/** Returns the password of a person, which `signUp` derives from the name. */
export function getPassword({ email }: Pick<TestPerson, "email">): string {
  const name = email.split("@")[0] ?? "";
  return `password of ${name[0]?.toUpperCase()}${name.slice(1)}`;
}

/** Signs a person in and returns the headers with the cookie that their browser would send. */
export async function createSessionHeaders(
  { url }: Pick<TestApp, "url">,
  { email }: Pick<TestPerson, "email">,
): Promise<Record<string, string>> {
  const password = getPassword({ email });
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return { cookie: toCookieHeader(response) };
}

function toCookieHeader(response: Response): string {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  return cookies.join("; ");
}

/** Pairs a browser and returns the headers with its cookie. */
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
  return { cookie: toCookieHeader(response) };
}

/** Returns a well-formed id that does not exist. */
export function createMissingId(): string {
  return `0197f0a0-0000-7000-8000-${randomUUID().slice(-12)}`;
}
