import { setTimeout as wait } from "node:timers/promises";
import {
  createAppAccounts,
  listApps,
  sendExpiring,
  waitUntilConnected,
  type AppAccount,
} from "./app-accounts.ts";
import type { CampaignApp } from "./campaign-app.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import { CONNECTED_APPS_DEFECTS } from "./connected-apps-defects.ts";
import { Findings } from "./findings.ts";
import { randomBetween } from "./random-between.ts";
import type { SiteNode } from "./site-node.ts";
import { startSite, type Site } from "./site.ts";
import { verifyApps } from "./verify-apps.ts";

const PER_SECOND = 12;
/** The full form stops the server once for every five kills, and kills one of three nodes for every two. */
const KILLS_PER_STOP = 5;
const KILLS_PER_NODE_KILL = 2;
/** Each of these apps sleeps before a kill, and then dies with everything that it has not handled. */
const SLEEPING_SHARE = 0.3;
const SLEEP_MS = 700;
/** Shorter than the wait of any real app, so that kills meet open connections. */
const RETRY_MAX_MS = 1_000;
/** The wait of ntfy's Android app after a failure. That of Gotify's app is a minute, and shortened. */
const STOPPED_RETRY_MS = 5_000;
const RETURN_MAX_MS = 10_000;
/** Ends the wait for an app that does not return. An app that got a close frame notices it only later. */
const RETURN_WAIT_MAX_MS = 90_000;

/** Kills and stops servers to which apps of ntfy and Gotify are connected, while others send to them. */
export const connectedApps: Campaign = {
  name: "connected-apps",
  fault:
    "kill -9 and SIGTERM of the server on SQLite, and kill -9 of one of three nodes, while apps of ntfy and Gotify receive, sleep and die",
  rounds: { short: 3, full: 100 },
  size: { short: 18, full: 50 },
  defects: CONNECTED_APPS_DEFECTS,
  async run(run) {
    const findings = new Findings(run);
    const phases = [() => runOnSqlite(run, findings), () => runOnNodes(run, findings)];
    // Side by side, the short form takes half as long: both mostly wait.
    if (run.isShort) await Promise.all(phases.map((runPhase) => runPhase()));
    else for (const runPhase of phases) await runPhase();
    findings.checkDurations("back after a stop", RETURN_MAX_MS);
    return findings;
  },
};

/** The apps of a site, and the wait of each before it connects again. */
interface Phase {
  readonly run: RunOptions;
  readonly site: Site;
  readonly findings: Findings;
  readonly accounts: readonly AppAccount[];
  readonly pacing: { getRetryMs: () => number };
}

async function runOnSqlite(run: RunOptions, findings: Findings): Promise<void> {
  const options = { database: "sqlite", nodes: 1 } as const;
  const phase = await startPhase(run, findings, options);
  const stops = Math.ceil(run.rounds / KILLS_PER_STOP);
  const [node] = phase.site.nodes;
  for (let round = 1; round <= run.rounds; round += 1) {
    await killAmidSleep(phase, node);
    run.reportProgress(`killed the server ${round} times`);
  }
  for (let round = 1; round <= stops; round += 1) {
    await stopAndAwaitReturn(phase, node);
    run.reportProgress(`stopped the server ${round} times`);
  }
  findings.addNote(`on SQLite, kills: ${run.rounds}, stops: ${stops}, ${await verifyApps(phase)}`);
}

async function runOnNodes(run: RunOptions, findings: Findings): Promise<void> {
  const phase = await startPhase(run, findings, { database: "postgres", nodes: 3 });
  const kills = Math.ceil(run.rounds / KILLS_PER_NODE_KILL);
  const { nodes } = phase.site;
  for (let round = 1; round <= kills; round += 1) {
    await killAmidSleep(phase, nodes[round % nodes.length] ?? nodes[0]);
    run.reportProgress(`killed a node ${round} times`);
  }
  findings.addNote(`on three nodes, kills: ${kills}, ${await verifyApps(phase)}`);
}

async function startPhase(
  run: RunOptions,
  findings: Findings,
  options: { readonly database: "sqlite" | "postgres"; readonly nodes: number },
): Promise<Phase> {
  const load = { perSecond: PER_SECOND, keepsRate: true, groupSizes: [] };
  const site = await startSite(run, { ...options, ...load });
  const pacing = { getRetryMs: retrySoon };
  const getRetryMs = () => pacing.getRetryMs();
  const accounts = await createAppAccounts(run, site, { size: run.size, getRetryMs });
  await sendExpiring(accounts);
  for (const account of accounts) account.load.start();
  return { run, site, findings, accounts, pacing };
}

function retrySoon(): number {
  return randomBetween(RETRY_MAX_MS / 4, RETRY_MAX_MS);
}

/** Kills a node while some apps sleep, kills these apps, and starts the node again. */
async function killAmidSleep({ accounts, findings }: Phase, node: SiteNode): Promise<void> {
  await wait(randomBetween(500, 3_000));
  const apps = accounts.flatMap((account) => account.apps);
  const sleepers = apps.filter(() => Math.random() < SLEEPING_SHARE);
  for (const app of sleepers) app.sleep();
  await wait(SLEEP_MS);
  await node.kill();
  for (const app of sleepers) app.die();
  await node.start();
  findings.runCount += 1;
}

/** Terminates the server and starts it again, and records how long each app needs to return. */
async function stopAndAwaitReturn(phase: Phase, node: SiteNode): Promise<void> {
  const { accounts, findings, pacing } = phase;
  const apps = accounts.flatMap(listApps).filter((app) => isOn(phase, app));
  // An app that is not connected learns nothing of the stop.
  await waitUntilConnected(apps, { since: 0, limitMs: RETURN_WAIT_MAX_MS });
  pacing.getRetryMs = () => STOPPED_RETRY_MS;
  const { exitCode } = await node.terminate();
  findings.expect(exitCode === 0, `the server exited with code ${exitCode}`);
  const startedAt = performance.now();
  await node.start();
  await waitUntilConnected(apps, { since: startedAt, limitMs: RETURN_WAIT_MAX_MS });
  for (const { connectedAt } of apps) {
    const isBack = connectedAt !== null && connectedAt > startedAt;
    findings.recordDuration("back after a stop", isBack ? connectedAt - startedAt : Infinity);
  }
  pacing.getRetryMs = retrySoon;
  findings.runCount += 1;
}

function isOn({ accounts }: Phase, app: CampaignApp): boolean {
  return accounts.every(({ offPhone }) => offPhone !== app);
}
