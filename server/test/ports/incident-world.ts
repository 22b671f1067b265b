import type { TestContext } from "node:test";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";
import type { EscalationTarget } from "#incidents/policies/policy.ts";
import type { PolicySnapshot } from "#incidents/policies/snapshot.ts";
import type { TriggerOrder } from "#incidents/trigger.ts";
import { addDevice } from "../support/delivery-bench.ts";
import { CommitFaults } from "../support/commit-faults.ts";
import { addIncidentNode, type IncidentBench } from "../support/incident-bench.ts";
import { createRoomContext, insertAccount, type RoomContext } from "../support/context.ts";
import { ScriptedProvider } from "../support/scripted-provider.ts";
import {
  EXPIRE_MS,
  REPEAT_MS,
  type ModelPolicy,
  type ModelTarget,
  type ModelTrigger,
} from "./incident-scenario.ts";

/** A process on the database of the world, with faults in its commits. */
export interface WorldNode extends IncidentBench {
  readonly faults: CommitFaults;
}

/** A sender, and the policies that it uses. */
export interface WorldSender {
  readonly sourceId: string;
  readonly target: ModelTarget;
  readonly policies: readonly (ModelPolicy | null)[];
}

/** Two processes on one database with people, their devices, and the senders of incidents. */
export interface World {
  readonly context: RoomContext;
  readonly nodes: readonly [WorldNode, WorldNode];
  readonly senders: readonly [WorldSender, WorldSender];
  readonly annId: string;
  /** Endpoints by device id. */
  readonly endpoints: ReadonlyMap<string, string>;
  /** Names of feeds, by the id of their account or team. */
  readonly feedNames: ReadonlyMap<string, string>;
  createTriggerOrder(sender: WorldSender, trigger: ModelTrigger): TriggerOrder;
}

const ANN_DEVICES = ["good/ann-1", "bad/ann-2", "good/ann-3"] as const;
const ANN: ModelTarget = { name: "account ann", feed: "ann", devices: ANN_DEVICES };
const ANN_1: ModelTarget = { name: "good/ann-1", feed: "ann", devices: [ANN_DEVICES[0]] };
const ANN_2: ModelTarget = { name: "bad/ann-2", feed: "ann", devices: [ANN_DEVICES[1]] };
const NO_DEVICE: ModelTarget = { name: "group nobody", feed: "ann", devices: [] };
const BEN: ModelTarget = { name: "account ben", feed: "ben", devices: ["good/ben"] };
const CARL: ModelTarget = { name: "account carl", feed: "carl", devices: [] };
const TEAM: ModelTarget = { name: "team", feed: "team", devices: [...ANN_DEVICES, "good/ben"] };

function toPolicy(
  steps: readonly (readonly [afterSeconds: number, ...targets: readonly ModelTarget[]])[],
  remindAfterSeconds: number | null,
): ModelPolicy {
  return {
    steps: steps.map(([afterSeconds, ...targets]) => ({ afterMs: afterSeconds * 1_000, targets })),
    remindAfterMs: remindAfterSeconds === null ? null : remindAfterSeconds * 1_000,
  };
}

const PERSONAL_POLICIES = [
  null,
  toPolicy(
    [
      [0, ANN_1],
      [90, ANN_2],
      [200, ANN],
    ],
    400,
  ),
  toPolicy(
    [
      [0, NO_DEVICE],
      [60, ANN_2],
      [150, ANN_1, ANN],
    ],
    null,
  ),
];
const TEAM_POLICIES = [
  null,
  toPolicy(
    [
      [0, ANN],
      [60, CARL],
      [120, TEAM],
    ],
    400,
  ),
  toPolicy(
    [
      [0, BEN],
      [20, CARL],
      [45, TEAM, ANN],
    ],
    null,
  ),
];

/** Creates the people and two processes, which stop with the test. */
export async function createWorld(t: TestContext): Promise<World> {
  const context = await createRoomContext(t);
  const provider = new ScriptedProvider();
  const reason = { code: "rejected", detail: null } as const;
  provider.script(ANN_DEVICES[1], async () => ({ kind: "rejected", reason }));
  const { ids, memberIds } = await insertPeople(context);
  const nodes = [
    startNode(t, { context, provider, ids }),
    startNode(t, { context, provider, ids }),
  ] as const;
  const endpoints = new Map<string, string>();
  for (const target of [ANN, BEN]) {
    const accountId = ids[target.feed] ?? "";
    for (const endpoint of target.devices)
      endpoints.set(await addDevice({ ...nodes[0], accountId }, endpoint), endpoint);
  }
  const annId = ids["ann"] ?? "";
  return {
    context,
    nodes,
    annId,
    senders: [
      { sourceId: annId, target: ANN, policies: PERSONAL_POLICIES },
      { sourceId: "team-key", target: TEAM, policies: TEAM_POLICIES },
    ],
    endpoints,
    feedNames: new Map(Object.entries(ids).map(([name, id]) => [id, name])),
    createTriggerOrder: (sender, trigger) =>
      createTriggerOrder({ ids, memberIds, endpoints }, sender, trigger),
  };
}

type Ids = Readonly<Record<string, string>>;

async function insertPeople(context: RoomContext): Promise<Pick<OrderDeps, "ids" | "memberIds">> {
  const { db } = context.database;
  const ids: Record<string, string> = { team: context.newId() };
  const memberIds: Record<string, string> = {};
  await db
    .insertInto("team")
    .values({ id: ids["team"] ?? "", name: "Ops", created_at: 0 })
    .execute();
  for (const name of ["ann", "ben", "carl"]) {
    const accountId = await insertAccount(context, { name, email: `${name}@example.org` });
    ids[name] = accountId;
    const memberId = context.newId();
    memberIds[name] = memberId;
    const member = { id: memberId, team_id: ids["team"] ?? "", account_id: accountId };
    const role = name === "ann" ? "owner" : "member";
    await db
      .insertInto("team_member")
      .values({ ...member, role, joined_at: 0, left_at: null })
      .execute();
  }
  return { ids, memberIds };
}

function startNode(
  t: TestContext,
  { context, provider, ids }: { context: RoomContext; provider: ScriptedProvider; ids: Ids },
): WorldNode {
  const faults = new CommitFaults();
  const database = faults.wrap(context.database);
  const bench = { context: { ...context, database }, accountId: ids["ann"] ?? "", provider };
  // Without reports, no review comes at a random time. A step that reached nobody waits for its timer.
  const options = { nodeId: context.newId(), publishReport() {} };
  return { ...addIncidentNode(t, bench, options), faults };
}

interface OrderDeps {
  readonly ids: Ids;
  readonly memberIds: Ids;
  readonly endpoints: ReadonlyMap<string, string>;
}

function createTriggerOrder(
  deps: OrderDeps,
  { sourceId, target }: WorldSender,
  { key, text, priority, policy, autoResolveAfterMs }: ModelTrigger,
): TriggerOrder {
  const { ids } = deps;
  const isTeam = target === TEAM;
  const accountId = ids["ann"] ?? "";
  const teamId = isTeam ? (ids["team"] ?? "") : null;
  const audience: Audience =
    teamId === null ? { kind: "account", accountId } : { kind: "team", teamId };
  return {
    source: { kind: isTeam ? "key" : "account", id: sourceId },
    owner: { accountId, teamId },
    keyId: null,
    audience,
    content: { ...EMPTY_CONTENT, title: text, priority },
    ttlSeconds: 3_600,
    isAwaited: false,
    incidentKey: key,
    autoResolveAfterMs,
    ringSettings: {
      repeatEveryMs: REPEAT_MS,
      expireAfterMs: EXPIRE_MS,
      policy: policy === null ? null : toSnapshot(deps, policy, isTeam),
    },
    callbackUrl: null,
    idempotency: null,
    charge() {},
    asked: null,
  };
}

function toSnapshot(deps: OrderDeps, policy: ModelPolicy, isTeam: boolean): PolicySnapshot {
  const { remindAfterMs, steps } = policy;
  return {
    policyId: "policy",
    name: "Policy",
    steps: steps.map(({ afterMs, targets }) => ({
      afterSeconds: afterMs / 1_000,
      targets: targets.map((target) => toTarget(deps, target, isTeam)),
    })),
    remindAfterSeconds: remindAfterMs === null ? null : remindAfterMs / 1_000,
  };
}

function toTarget(
  { memberIds, endpoints }: OrderDeps,
  target: ModelTarget,
  isTeam: boolean,
): EscalationTarget {
  if (target === TEAM) return { kind: "team" };
  if (target === NO_DEVICE) return { kind: "group", groupId: "nobody" };
  if (target === ANN_1 || target === ANN_2) {
    const [deviceId = ""] = [...endpoints].find(([, endpoint]) => endpoint === target.name) ?? [];
    return { kind: "device", deviceId };
  }
  if (!isTeam) return { kind: "me" };
  return { kind: "member", memberId: memberIds[target.feed] ?? "" };
}
