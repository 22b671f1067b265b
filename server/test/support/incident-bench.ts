import type { TestContext } from "node:test";
import { EMPTY_CONTENT, type ActMeans, type NotificationContent } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";
import type { DeliveryDeps } from "#delivery/create-delivery.ts";
import { INCIDENT_TIMER_KINDS } from "#incidents/incident-timers.ts";
import { createIncidents, type Incidents } from "#incidents/incidents.ts";
import type { Act } from "#incidents/incident.ts";
import type { PolicySnapshot } from "#incidents/policies/snapshot.ts";
import { findIncidentAct } from "#incidents/store/incident-act.ts";
import type { AskedQuestion, TriggerOrder } from "#incidents/trigger.ts";
import { createPrompts, type Prompts } from "#prompts/prompts.ts";
import { readTimerPage } from "#timers/store.ts";
import type { TimerWorker } from "#timers/worker.ts";
import type { Timer, TimerHandler, TimerKind } from "#timers/timer.ts";
import { createDeliveryNode, type DeliveryBench } from "./delivery-bench.ts";
import { createRoomContext, insertAccount, type RoomContext } from "./context.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

/** The incidents of one node on a real database, with a scripted provider and timers that the test fires. */
export interface IncidentBench extends DeliveryBench {
  readonly incidents: Incidents;
  readonly prompts: Prompts;
  /** Passes a timer to its handler, whether it is due or not. */
  fire(timer: Timer): Promise<void>;
  /** Fires due timers until none is left, and waits for their pushes. */
  fireDue(): Promise<void>;
  /** Advances the clock in one step, then fires the due timers. */
  advance(ms: number): Promise<void>;
  waitUntilIdle(): Promise<void>;
}

/** Starts the incidents of one node. It stops with the test. */
export async function startIncidentBench(t: TestContext): Promise<IncidentBench> {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  return addIncidentNode(t, { context, accountId, provider: new ScriptedProvider() });
}

/** Starts several nodes on one database and with one provider. They stop with the test. */
export async function startIncidentNodes(
  t: TestContext,
  count: number,
  {
    provider = new ScriptedProvider(),
    createDeps = () => ({}),
  }: {
    readonly provider?: ScriptedProvider;
    readonly createDeps?: (context: RoomContext) => Partial<DeliveryDeps>;
  } = {},
): Promise<readonly [IncidentBench, ...IncidentBench[]]> {
  const context = await createRoomContext(t);
  const bench = { context, accountId: await insertAccount(context), provider };
  const start = () =>
    addIncidentNode(t, bench, { nodeId: context.newId(), ...createDeps(context) });
  return [start(), ...Array.from({ length: count - 1 }, start)];
}

/** Starts the incidents of a node on an existing database. Without a worker, the test fires its timers. */
export function addIncidentNode(
  t: TestContext,
  { context, accountId, provider }: Omit<DeliveryBench, "delivery">,
  options: Partial<DeliveryDeps> = {},
  worker: Pick<TimerWorker, "register" | "wakeAt"> | null = null,
): IncidentBench {
  const handlers = new Map<TimerKind, TimerHandler>();
  const delivery = createDeliveryNode({
    context,
    providers: [provider],
    findAct: (notification) => findIncidentAct(context, notification),
    publishReport: (notification, report) => incidents.review(notification, report),
    ...options,
  });
  const timers: Pick<TimerWorker, "register" | "wakeAt"> = worker ?? {
    wakeAt() {},
    register: (kind, handler) => handlers.set(kind, handler),
  };
  const incidents = createIncidents({
    context,
    delivery,
    timers,
    findName: async () => "Ann",
    createActLink: ({ accountId }) => `https://tocsin.example.org/a#token=${accountId}`,
    incidentsLink: "https://tocsin.example.org/incidents",
    announce() {},
    onChanged() {},
  });
  t.after(() => incidents.stop());
  t.after(() => delivery.worker.stop(0));
  const waitUntilIdle = () => delivery.worker.waitUntilIdle();
  const fire = async (timer: Timer) => {
    const lateMs = Math.max(0, context.now() - timer.runAt);
    await handlers.get(timer.kind)?.({ timer, lateMs });
  };
  const fireDue = async () => {
    while (await fireOnce(context, fire)) await waitUntilIdle();
  };
  return {
    context,
    accountId,
    provider,
    delivery,
    incidents,
    prompts: createPrompts({ context, incidents, timers }),
    fire,
    fireDue,
    waitUntilIdle,
    async advance(ms) {
      context.clock.advance(ms);
      await fireDue();
    },
  };
}

/** Fires the timers that are due, and returns whether there were any. */
async function fireOnce(
  context: RoomContext,
  fire: (timer: Timer) => Promise<void>,
): Promise<boolean> {
  const kinds = [...INCIDENT_TIMER_KINDS, "prompt_expire", "mail_summary"] as const;
  const { timers } = await readTimerPage(context, { kinds, max: 64 });
  const due = timers.filter(({ runAt }) => runAt <= context.now());
  for (const timer of due) await fire(timer);
  return due.length > 0;
}

/** Deviations from an emergency with the key `disk` to all devices of the account. */
export interface OrderOptions {
  readonly incidentKey?: string | null;
  readonly content?: Partial<NotificationContent>;
  readonly policy?: PolicySnapshot | null;
  readonly repeatEveryMs?: number;
  readonly expireAfterMs?: number;
  readonly autoResolveAfterMs?: number | null;
  readonly audience?: Audience;
  readonly teamId?: string;
  readonly asked?: AskedQuestion;
  readonly callbackUrl?: string | null;
  readonly keyId?: string | null;
  readonly charge?: TriggerOrder["charge"];
}

/** Returns an order of the account itself to trigger an incident. */
export function createTriggerOrder(
  { accountId }: Pick<DeliveryBench, "accountId">,
  options: OrderOptions = {},
): TriggerOrder {
  const { repeatEveryMs = 60_000, expireAfterMs = 3_600_000, policy = null } = options;
  return {
    source: { kind: "account", id: accountId },
    owner: { accountId, teamId: options.teamId ?? null },
    keyId: options.keyId ?? null,
    audience: options.audience ?? { kind: "account", accountId },
    content: { ...EMPTY_CONTENT, title: "Disk full", priority: "emergency", ...options.content },
    ttlSeconds: 3_600,
    isAwaited: false,
    incidentKey: options.incidentKey === undefined ? "disk" : options.incidentKey,
    autoResolveAfterMs: options.autoResolveAfterMs ?? null,
    ringSettings: { repeatEveryMs, expireAfterMs, policy },
    callbackUrl: options.callbackUrl ?? null,
    idempotency: null,
    charge: options.charge ?? (() => {}),
    asked: options.asked ?? null,
  };
}

/** Returns an act of the account at the time of the bench. */
export function createAct({ context, accountId }: DeliveryBench, via: ActMeans = "console"): Act {
  return { at: context.now(), via, accountId, deviceId: null, note: null };
}
