import type { TestContext } from "node:test";
import { createClient, type Client, type EscalationTarget } from "@tocsin/sdk";
import { registerPolicyRoutes } from "#incidents/policies/routes.ts";
import { registerKeyRoutes } from "#keys/routes.ts";
import { KeyVerifier } from "#keys/verify.ts";
import { isManager, listManagedTeamIds } from "#teams/store/teams.ts";
import { authenticateByAccountId } from "./bearer.ts";
import {
  createRoomContext,
  insertAccount,
  insertDevice,
  startTestServer,
  type RoomContext,
} from "./context.ts";

/** A person with an account, signed in. */
export interface PolicyPerson {
  readonly id: string;
  readonly client: Client;
}

/** A server with the routes for escalation policies and API keys, and a team. */
export interface PoliciesServer {
  readonly context: RoomContext;
  readonly url: string;
  /** An owner of the team. */
  readonly ann: PolicyPerson;
  /** A plain member of the team. */
  readonly bob: PolicyPerson;
  /** Not in the team. Her email address is not verified. */
  readonly eve: PolicyPerson;
  readonly teamId: string;
  /** Bob's member id. */
  readonly bobMemberId: string;
  readonly addDevice: (accountId: string, name: string) => Promise<string>;
  /** Makes Bob an admin of the team. */
  readonly promoteBob: () => Promise<void>;
  /** Ends Bob's membership. */
  readonly removeBob: () => Promise<void>;
}

/** Starts the server and inserts its people. It stops with the test. */
export async function startPoliciesServer(
  t: TestContext,
  { sendsMail = true }: { readonly sendsMail?: boolean } = {},
): Promise<PoliciesServer> {
  const context = await createRoomContext(t);
  const url = await startTestServer(t, context, (server) => {
    const deps = { context, authenticate: authenticateByAccountId };
    registerPolicyRoutes(server, { ...deps, sendsMail });
    registerKeyRoutes(server, {
      ...deps,
      verifier: new KeyVerifier(context, { isListening: true }),
      dialects: [],
      ntfyUpstream: null,
      isManager: (input) => isManager(context, input),
      listManagedTeamIds: (accountId) => listManagedTeamIds(context, accountId),
    });
  });
  const addPerson = async (name: string, isVerified = true) => {
    const email = `${name.toLowerCase()}@example.org`;
    const id = await insertAccount(context, { name, email, isVerified });
    return { id, client: createClient({ baseUrl: url, accessToken: id }) };
  };
  const ann = await addPerson("Ann");
  const bob = await addPerson("Bob");
  const eve = await addPerson("Eve", false);
  const { teamId, bobMemberId } = await insertTeam(context, ann.id, bob.id);
  return {
    context,
    url,
    ann,
    bob,
    eve,
    teamId,
    bobMemberId,
    addDevice: (accountId, name) => addDevice(context, { accountId, name }),
    async promoteBob() {
      await context.database.db
        .updateTable("team_member")
        .set({ role: "admin" })
        .where("id", "=", bobMemberId)
        .execute();
    },
    async removeBob() {
      await context.database.db
        .updateTable("team_member")
        .set({ left_at: context.now() })
        .where("id", "=", bobMemberId)
        .execute();
    },
  };
}

/** Returns the steps of a policy that rings the targets at once. */
export function createSteps(...targets: readonly EscalationTarget[]) {
  return [{ afterSeconds: 0, targets }];
}

async function insertTeam(context: RoomContext, annId: string, bobId: string) {
  const { db } = context.database;
  const teamId = context.newId();
  const bobMemberId = context.newId();
  await db.insertInto("team").values({ id: teamId, name: "Ops", created_at: 0 }).execute();
  const membership = { team_id: teamId, joined_at: context.now(), left_at: null };
  await db
    .insertInto("team_member")
    .values([
      { ...membership, id: context.newId(), account_id: annId, role: "owner" },
      { ...membership, id: bobMemberId, account_id: bobId, role: "member" },
    ])
    .execute();
  return { teamId, bobMemberId };
}

async function addDevice(
  context: RoomContext,
  { accountId, name }: { readonly accountId: string; readonly name: string },
): Promise<string> {
  const address = { provider: "fcm", kind: "token", token: name } as const;
  const device = await insertDevice(context, { accountId, platform: "android", address, name });
  if (device === null) throw new Error("The account has this device already.");
  return device.id;
}
