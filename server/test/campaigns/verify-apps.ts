import { setTimeout as wait } from "node:timers/promises";
import { DELIVERY_STATE_GROUPS } from "@tocsin/sdk";
import { startStealFreeTimer } from "../support/steal-time.ts";
import { listApps, type AppAccount } from "./app-accounts.ts";
import { compareLedger, readDeliveries, type LedgerComparison } from "./app-ledger.ts";
import { openDatabaseReader } from "./database-reader.ts";
import type { Findings } from "./findings.ts";
import type { Site } from "./site.ts";
import { waitUntilIdle } from "./verify-deliveries.ts";

/** The apps of a site. */
export interface AppVerification {
  readonly site: Site;
  readonly accounts: readonly AppAccount[];
  readonly findings: Findings;
}

/** Covers the takeover from the node that was killed last, and its leases. */
const SHOWN_MAX_MS = 60_000;
const IDLE_MAX_MS = 60_000;
const POLL_INTERVAL_MS = 100;
/** Number of the latest notifications that a phone which is off must still be owed. */
const KEPT_COUNT = 10;

/**
 * Ends the load, switches on the phones that were off, and verifies that every app shows every message once, and that the
 * delivery log says so. Returns the figures.
 */
export async function verifyApps({ site, accounts, findings }: AppVerification): Promise<string> {
  await Promise.all(accounts.map(({ load }) => load.pause()));
  for (const account of accounts) await verifyKept(account, findings);
  for (const { offPhone } of accounts) offPhone.start();
  await waitUntilShown(accounts);
  const reader = await openDatabaseReader(site.location);
  try {
    findings.expect(await waitUntilIdle(reader, IDLE_MAX_MS), "jobs are left");
  } finally {
    await reader.close();
  }
  const comparison: LedgerComparison = { problems: new Map(), endings: new Map() };
  for (const account of accounts) {
    await compareLedger(account, findings, comparison);
    verifyLoad(account, findings);
  }
  for (const [problem, count] of comparison.problems) findings.expect(false, `${count} ${problem}`);
  return verifyShownOnce(accounts, findings, comparison);
}

/** Verifies that a phone that is off is still owed the latest notifications. */
async function verifyKept(account: AppAccount, findings: Findings): Promise<void> {
  const waitingStates: readonly string[] = DELIVERY_STATE_GROUPS.waiting;
  for (const id of [...account.load.acceptedTitles.keys()].slice(-KEPT_COUNT)) {
    const deliveries = await readDeliveries(account, id);
    const state = deliveries.find(({ deviceName }) => deviceName === account.offPhone.name)?.state;
    const isKept = state !== undefined && waitingStates.includes(state);
    findings.expect(isKept, `a message to a phone that is off is ${state}`);
  }
}

/** Resolves once every app shows every accepted message, or after `SHOWN_MAX_MS`. */
async function waitUntilShown(accounts: readonly AppAccount[]): Promise<void> {
  const readElapsedMs = startStealFreeTimer();
  const areAllShown = ({ apps, offPhone, load: { acceptedTitles } }: AppAccount) =>
    [...apps, offPhone].every(({ messages }) =>
      acceptedTitles.values().every((title) => messages.findShownAt(title) !== null),
    );
  while (!accounts.every(areAllShown) && readElapsedMs() < SHOWN_MAX_MS)
    await wait(POLL_INTERVAL_MS);
}

function verifyLoad({ load, expiringTitles }: AppAccount, findings: Findings): void {
  findings.acceptedCount += load.acceptedTitles.size + expiringTitles.size;
  const { unexpectedResponses } = load;
  findings.expect(
    unexpectedResponses.length === 0,
    `${unexpectedResponses.length} unexpected responses: ${unexpectedResponses[0]}`,
  );
}

function verifyShownOnce(
  accounts: readonly AppAccount[],
  findings: Findings,
  { endings }: LedgerComparison,
): string {
  const apps = accounts.flatMap(listApps);
  const sum = (count: (app: (typeof apps)[number]) => number) =>
    apps.reduce((total, app) => total + count(app), 0);
  const shownTwiceCount = sum(({ messages }) => messages.shownTwiceCount);
  findings.duplicateCount += shownTwiceCount;
  findings.expect(shownTwiceCount === 0, `${shownTwiceCount} messages are shown twice`);
  const closedCount = sum(({ closedCount: count }) => count);
  findings.expect(closedCount === 0, `${closedCount} connections ended in an orderly way`);
  const outcomes = [...endings].map(([ending, count]) => `${count.toLocaleString("en")} ${ending}`);
  const repeatedCount = sum(({ messages }) => messages.repeatedCount).toLocaleString("en");
  return `apps: ${apps.length}, deliveries: ${outcomes.join(", ")}, ${repeatedCount} repeated and recognised`;
}
