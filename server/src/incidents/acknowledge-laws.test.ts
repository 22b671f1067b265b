import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { SERVER } from "#audit/event.ts";
import { setTimeout as wait } from "node:timers/promises";
import { Semaphore } from "#concurrency/semaphore.ts";
import type { Context } from "#context.ts";
import type { DeliveryDeps } from "#delivery/create-delivery.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import type {
  Address,
  AttemptPermit,
  Message,
  Outcome,
  PermitRequest,
} from "#providers/provider.ts";
import { addDevice } from "../../test/support/delivery-bench.ts";
import {
  createAct,
  createTriggerOrder,
  startIncidentNodes,
  type IncidentBench,
} from "../../test/support/incident-bench.ts";
import { insertAccount } from "../../test/support/context.ts";
import { ACCEPTED, ScriptedProvider } from "../../test/support/scripted-provider.ts";
import { findIncidentAct } from "./store/incident-act.ts";
import { listEntries } from "./store/events.ts";

const NODE_COUNT = 3;
const PEOPLE = Array.from({ length: 50 }, (_, index) => `person ${index}`);
/** A campaign sets the variable, for many more repetitions. */
const IS_LONG = process.env["TOCSIN_TEST_LONG_LAWS"] !== undefined;
const CONTESTED_COUNT = IS_LONG ? 1_000 : 10;

async function openIncident(node: IncidentBench, incidentKey: string): Promise<string> {
  const result = await node.incidents.trigger(createTriggerOrder(node, { incidentKey }));
  return result.kind === "changed" ? result.change.incident.id : assert.fail();
}

// The laws E3 and E4 of docs/promises.md.
test("E3: of fifty people who acknowledge concurrently on three nodes, one wins and all others learn who", async (t) => {
  const nodes = await startIncidentNodes(t, NODE_COUNT);
  await addDevice(nodes[0], "good/1");
  for (let count = 0; count < CONTESTED_COUNT; count += 1) {
    const incidentId = await openIncident(nodes[0], `disk ${count}`);
    const results = await Promise.all(
      PEOPLE.map((accountId, index) => {
        const node = nodes[index % nodes.length] ?? nodes[0];
        const act = { ...createAct(node), accountId };
        return node.incidents.act({
          incidentId,
          kind: "acknowledge",
          act,
          actor: SERVER,
          content: null,
        });
      }),
    );
    const winners = PEOPLE.filter((_, index) => results[index]?.isChanged === true);
    assert.equal(winners.length, 1);
    const reportedWinners = results.map((result) => result?.incident.acknowledgement?.accountId);
    assert.deepEqual(new Set(reportedWinners), new Set(winners));
    const entries = await listEntries(nodes[0].context, incidentId);
    const acknowledgements = entries.filter(({ kind }) => kind === "acknowledged");
    assert.deepEqual(
      acknowledgements.map(({ accountId }) => accountId),
      winners,
    );
  }
});

/** Number of people, each with one ringing incident after another. */
const PERSON_COUNT = 5;
const INCIDENTS_PER_PERSON = IS_LONG ? 200 : 10;
const DEVICE_COUNT = 30;
/** The push service of a person takes this many requests at a time. */
const REQUESTS_MAX = 2;
/** The push service responds to each request after this time. */
const REQUEST_MS = 12;
/** A ring may begin up to this much later than an acknowledgement before which its incident was checked. */
const LATE_MS = 250;

/**
 * Counts all requests, rings whose incident was not checked first, rings that begin too late, and checks that let a
 * ring pass although they started after the response to the acknowledgement.
 */
class WatchedProvider extends ScriptedProvider {
  readonly answeredAt = new Map<string, number>();
  readonly counts = { requests: 0, lateRings: 0, uncheckedRings: 0, checksAfterAnswer: 0 };
  readonly #permits = new Map<string, Semaphore>();
  readonly #incidentIds = new Map<string, string>();
  /** Checks without a request yet, by notification. */
  readonly #checks = new Map<string, number>();
  readonly #awaitedRequests = new Map<
    string,
    { readonly count: number; readonly resolve: () => void }
  >();

  recordCheck({ id, interaction }: NewNotification, startedAt: number): void {
    const incidentId = interaction?.incidentId ?? "";
    this.#incidentIds.set(id, incidentId);
    this.#checks.set(id, (this.#checks.get(id) ?? 0) + 1);
    if (startedAt > (this.answeredAt.get(incidentId) ?? Infinity))
      this.counts.checksAfterAnswer += 1;
  }

  /** Resolves once this many further requests to a service have begun. */
  async waitForRequests(service: string, count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaitedRequests.set(service, { count, resolve });
    if (count > 0) await promise;
  }

  async acquirePermit({ address }: PermitRequest): Promise<AttemptPermit> {
    const service = this.getServiceName(address);
    const permits = this.#permits.get(service) ?? new Semaphore(REQUESTS_MAX);
    this.#permits.set(service, permits);
    return { kind: "taken", release: await permits.acquire() };
  }

  override async send(message: Message, address: Address): Promise<Outcome> {
    const service = this.getServiceName(address);
    const { count = 0, resolve = () => {} } = this.#awaitedRequests.get(service) ?? {};
    this.#awaitedRequests.set(service, { count: count - 1, resolve });
    if (count === 1) resolve();
    // The push that reports the acknowledgement comes after it.
    if (!message.title.startsWith("Acknowledged")) this.#recordRequest(message.notificationId);
    await wait(REQUEST_MS);
    return ACCEPTED;
  }

  #recordRequest(notificationId: string): void {
    const checks = this.#checks.get(notificationId) ?? 0;
    this.#checks.set(notificationId, checks - 1);
    const answeredAt = this.answeredAt.get(this.#incidentIds.get(notificationId) ?? "");
    this.counts.requests += 1;
    if (checks <= 0) this.counts.uncheckedRings += 1;
    if (performance.now() > (answeredAt ?? Infinity) + LATE_MS) this.counts.lateRings += 1;
  }
}

function createWatchedNodes(t: TestContext, provider: WatchedProvider) {
  const createDeps = (context: Context): Partial<DeliveryDeps> => ({
    async findAct(notification) {
      const startedAt = performance.now();
      const act = await findIncidentAct(context, notification);
      const isChangeNotice = notification.interaction?.cause === "acknowledgement";
      if (act === null && !isChangeNotice) provider.recordCheck(notification, startedAt);
      return act;
    },
  });
  return startIncidentNodes(t, NODE_COUNT, { provider, createDeps });
}

type Nodes = Awaited<ReturnType<typeof createWatchedNodes>>;

/** Opens incidents of one person, and acknowledges each at a random moment of its ringing. */
async function acknowledgeRepeatedly(nodes: Nodes, provider: WatchedProvider, person: number) {
  const service = `person-${person}`;
  const pickNode = () => nodes[Math.floor(Math.random() * NODE_COUNT)] ?? nodes[0];
  const accountId = await insertAccount(nodes[0].context, { email: `${service}@example.org` });
  for (let index = 0; index < DEVICE_COUNT; index += 1)
    await addDevice({ ...nodes[0], accountId }, `${service}/${index}`);
  for (let count = 0; count < INCIDENTS_PER_PERSON; count += 1) {
    const incidentId = await openIncident({ ...pickNode(), accountId }, `${service} ${count}`);
    const act = { ...createAct(nodes[0]), accountId };
    const perform = (kind: "acknowledge" | "ring_again") =>
      pickNode().incidents.act({ incidentId, kind, act, actor: SERVER, content: null });
    await provider.waitForRequests(service, Math.floor((Math.random() * DEVICE_COUNT) / 2));
    if (count % 2 === 1) await perform("ring_again");
    await provider.waitForRequests(service, Math.floor((Math.random() * DEVICE_COUNT) / 2));
    await perform("acknowledge");
    provider.answeredAt.set(incidentId, performance.now());
  }
}

test("E4: no ring begins later than 250 ms after its acknowledgement was answered", async (t) => {
  const provider = new WatchedProvider();
  const nodes = await createWatchedNodes(t, provider);
  const people = Array.from({ length: PERSON_COUNT }, (_, person) => person);
  await Promise.all(people.map((person) => acknowledgeRepeatedly(nodes, provider, person)));
  await Promise.all(nodes.map((node) => node.waitUntilIdle()));
  const { requests, ...violations } = provider.counts;
  assert.deepEqual(violations, { lateRings: 0, uncheckedRings: 0, checksAfterAnswer: 0 });
  // Every second incident rings twice. Some rings were sent, and others were no longer needed.
  const ringsMax = PERSON_COUNT * INCIDENTS_PER_PERSON * DEVICE_COUNT * 1.5;
  assert.ok(requests > 0 && requests < ringsMax);
});
