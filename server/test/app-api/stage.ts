import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { CreatedTeam, Device } from "@tocsin/sdk";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { idOf } from "../support/log.ts";
import { linkToken } from "../support/link-token.ts";
import { memberIdOf } from "../support/membership.ts";

/** The caller. The access token is the owner's, so was the revoked one, and the paired session is of a browser that they let in. */
export const PRINCIPALS = [
  // The first: what the owner does may end it.
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

export type Principal = (typeof PRINCIPALS)[number];

/** An app with an owner, an admin and members of a team, and somebody who is in none. */
export interface Stage {
  readonly app: TestApp;
  readonly owner: TestPerson;
  readonly admin: TestPerson;
  readonly member: TestPerson;
  /** Another plain member, for what is done to members. */
  readonly target: TestPerson;
  readonly other: TestPerson;
  /** Somebody who was in every team, and is in none any more. */
  readonly formerMember: TestPerson;
  /** The server's administrator, who is in no team. */
  readonly administrator: TestPerson;
  /** Each principal's credentials. */
  readonly credentials: Readonly<Record<Principal, Readonly<Record<string, string>>>>;
  /** A team of the owner's with its admin and members, made anew each time. */
  team(): Promise<CreatedTeam>;
  device(): Promise<Device>;
  /** A notification with the key, recorded. */
  notification(key: string): Promise<string>;
  /** An invitation of somebody who is in none to a new team, and its link's token. */
  invitation(
    inviter: TestPerson,
  ): Promise<{ readonly teamId: string; readonly id: string; readonly token: string }>;
}

/** Starts the stage; everybody's e-mail address is verified. */
export async function startStage(t: TestContext): Promise<Stage> {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const people = await Promise.all(
    ["Olga", "Adam", "Mia", "Tim", "Otto", "Fred", "Alma"].map((name) => signUp(app, name)),
  );
  const [owner, admin, member, target, other, formerMember, administrator] = people;
  if (!owner || !admin || !member || !target || !other) throw new Error("Somebody is missing.");
  if (!formerMember || !administrator) throw new Error("Somebody is missing.");
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
    const former = await memberIdOf(owner, created.id, formerMember);
    await owner.client.teams.removeMember(created.id, former);
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
    credentials: await credentialsOf(app, {
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
      await forgetToday(app, inviter);
      const { id, link } = await inviter.client.teams.invite(teamId, { email: other.email });
      return { teamId, id, token: linkToken(link) };
    },
  };
}

/** Makes what somebody sent today an invitation of the day before: an account may invite 20 people a day. */
async function forgetToday({ app }: TestApp, { accountId }: TestPerson): Promise<void> {
  const { database, now } = app.context;
  await database.db
    .updateTable("invitation")
    .set({ created_at: now() - DAY_MS, mailed_at: null })
    .where("invited_by", "=", accountId)
    .execute();
}

const DAY_MS = 24 * 60 * 60_000;

/** In the store itself: an account may invite 20 people a day. */
async function join(
  { app }: TestApp,
  stay: { teamId: string; accountId: string; role: "admin" | "member" },
): Promise<void> {
  const { teamId: team_id, accountId: account_id, role } = stay;
  const { database, newId, now } = app.context;
  const row = { id: newId(), team_id, account_id, role, joined_at: now(), left_at: null };
  await database.db.insertInto("team_member").values(row).execute();
}

async function credentialsOf(
  app: TestApp,
  people: Pick<Stage, "owner" | "admin" | "member" | "other" | "formerMember" | "administrator">,
): Promise<Stage["credentials"]> {
  const { owner, admin, member, other, formerMember, administrator } = people;
  const revoked = await owner.client.accessTokens.create({ label: "lost" });
  await owner.client.accessTokens.remove(revoked.id);
  const ownersSession = await session(app, owner);
  return {
    pairedSession: await pairedBy(app, ownersSession),
    owner: ownersSession,
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

/** The password of somebody on the stage. */
export function passwordOf({ email }: Pick<TestPerson, "email">): string {
  const name = email.split("@")[0] ?? "";
  return `password of ${name[0]?.toUpperCase()}${name.slice(1)}`;
}

/** Signs somebody on the stage in, and returns the cookie that their browser would send. */
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

/** Lets a browser in, and returns its cookie. */
async function pairedBy(
  { url }: TestApp,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
  const made = await fetch(`${url}/api/app/v1/pairings`, { method: "POST", headers });
  // As the operation answers.
  const { code } = (await made.json()) as { code: string };
  const response = await fetch(`${url}/api/auth/pair`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  return { cookie: cookieOf(response) };
}

/** An id in our form that nothing has. */
export function missingId(): string {
  return `0197f0a0-0000-7000-8000-${randomUUID().slice(-12)}`;
}
