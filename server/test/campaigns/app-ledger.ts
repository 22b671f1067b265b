import type { DeliveryDetail, DeliveryState, NotificationRecord } from "@tocsin/sdk";
import { listApps, type AppAccount } from "./app-accounts.ts";
import type { CampaignApp } from "./campaign-app.ts";
import type { Findings } from "./findings.ts";

/** The comparison of the delivery log with the messages that apps show. */
export interface LedgerComparison {
  /** Number of deliveries by the problem that they have. */
  readonly problems: Map<string, number>;
  /** Number of deliveries by their proof or their state. */
  readonly endings: Map<string, number>;
}

/** Number of items in a page of a list. An account has fewer apps. */
const PAGE_SIZE = 50;
const CONCURRENCY = 4;
/** Tolerance for the difference of two clocks: each node reads its own, or that of the database. */
const CLOCK_TOLERANCE_MS = 100;

/**
 * Compares every delivery of an account with the messages that its apps show. Adds missing notifications and messages to the
 * findings, and everything else to the comparison.
 */
export async function compareLedger(
  account: AppAccount,
  findings: Findings,
  comparison: LedgerComparison,
): Promise<void> {
  const notifications = await listNotifications(account);
  const ids = new Set(notifications.map(({ id }) => id));
  const missing = [...account.load.acceptedTitles.keys()].filter((id) => !ids.has(id));
  findings.lostCount += missing.length;
  findings.expect(missing.length === 0, `${missing.length} accepted notifications are not stored`);
  const titles = new Set(notifications.map(({ title }) => title));
  const twiceCount = notifications.length - titles.size;
  findings.expect(twiceCount === 0, `${twiceCount} notifications are stored twice`);
  for (let start = 0; start < notifications.length; start += CONCURRENCY) {
    const batch = notifications.slice(start, start + CONCURRENCY);
    await Promise.all(
      batch.map(async (notification) => {
        const deliveries = await readDeliveries(account, notification.id);
        compareDeliveries(account, { notification, deliveries }, { findings, comparison });
      }),
    );
  }
}

/** Returns the deliveries of a notification. */
export async function readDeliveries(
  { person }: AppAccount,
  id: string,
): Promise<readonly DeliveryDetail[]> {
  return (await person.client.notifications.deliveries(id, { limit: PAGE_SIZE })).items;
}

async function listNotifications({
  person: { client },
}: AppAccount): Promise<readonly NotificationRecord[]> {
  const notifications: NotificationRecord[] = [];
  let cursor: string | null = null;
  do {
    const query = { limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) };
    const page = await client.notifications.list(query);
    notifications.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return notifications;
}

interface NotificationDeliveries {
  readonly notification: NotificationRecord;
  readonly deliveries: readonly DeliveryDetail[];
}

interface ComparisonDeps {
  readonly findings: Findings;
  readonly comparison: LedgerComparison;
}

function compareDeliveries(
  account: AppAccount,
  { notification: { title }, deliveries }: NotificationDeliveries,
  { findings, comparison: { problems, endings } }: ComparisonDeps,
): void {
  const isExpiring = account.expiringTitles.has(title);
  const byName = new Map(deliveries.map((delivery) => [delivery.deviceName, delivery]));
  for (const app of isExpiring ? [account.offPhone] : listApps(account)) {
    const delivery = byName.get(app.name);
    if (delivery === undefined) {
      addOne(problems, "apps have no recorded outcome");
      continue;
    }
    findings.deliveryCount += 1;
    addOne(endings, delivery.proof?.how ?? delivery.state);
    const expectedState = isExpiring ? "expired" : getExpectedState(account, app);
    const shownAt = app.messages.findShownAt(title);
    if (expectedState === "accepted" && shownAt === null) findings.lostCount += 1;
    const problem = findProblem({ app, delivery, expectedState, shownAt });
    if (problem !== null) addOne(problems, problem);
  }
}

function getExpectedState(
  { otherChannelApp }: AppAccount,
  app: CampaignApp,
): "accepted" | "skipped" {
  return app === otherChannelApp ? "skipped" : "accepted";
}

/** Returns why a delivery does not say what its app shows; null if it does. */
function findProblem({
  app: { transport },
  delivery: { state, message, proof },
  expectedState,
  shownAt,
}: {
  readonly app: CampaignApp;
  readonly delivery: DeliveryDetail;
  readonly expectedState: DeliveryState;
  /** Null if the app does not show the message. */
  readonly shownAt: number | null;
}): string | null {
  if (message === null) return `deliveries are ${state} without a reason`;
  const isShown = shownAt !== null;
  if (expectedState !== "accepted") {
    if (isShown) return `messages are shown that should be ${expectedState}`;
    return state === expectedState
      ? null
      : `deliveries should be ${expectedState}, but are ${state}`;
  }
  if (!isShown) return `messages are not shown, and recorded as ${state} (${proof?.how})`;
  if (state !== "accepted") return `messages are shown, but recorded as ${state}`;
  if (proof === undefined || !transport.proofs.includes(proof.how))
    return `messages to ${transport.name} have the proof ${proof?.how}`;
  const isAnswer = proof.how === "answered" || proof.how === "resumed";
  const isEarly = Date.parse(proof.at) < shownAt - CLOCK_TOLERANCE_MS;
  return isAnswer && isEarly ? `messages are recorded as ${proof.how} before they are shown` : null;
}

/** Adds one to a counter. */
function addOne(counters: Map<string, number>, name: string): void {
  counters.set(name, (counters.get(name) ?? 0) + 1);
}
