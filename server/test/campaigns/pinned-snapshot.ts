import { setTimeout as wait } from "node:timers/promises";
import { topicOf } from "#providers/webpush/topic.ts";
import { account } from "./accounting.ts";
import { holdSnapshot } from "./books.ts";
import type { Campaign, Order } from "./campaign.ts";
import { Findings } from "./findings.ts";
import { FAILS_FIRST } from "./receiver.ts";
import { startSite, type Site } from "./site.ts";

const PINNED_MS = 10 * 60_000;
const SHORT_PINNED_MS = 5_000;
/** Of the time before, and of the end of it. */
const MEASURED_MS = 60_000;
const SHORT_MEASURED_MS = 3_000;
const SLOWER_MAX = 1.5;
const UNNOTICED_MS = 10;
/** An attempt is repeated after a second, up to a fifth more by chance. */
const RETRY_MS = 1_200;
const PICKED_UP_MAX_MS = 1_000;
/** It is the number of jobs that counts. */
const GROUP_SIZES = Array.from({ length: 50 }, () => 1);

/** Somebody keeps a transaction open, so that PostgreSQL cannot clear away what was deleted since. */
export const pinnedSnapshot: Campaign = {
  name: "pinned-snapshot",
  fault:
    "a transaction that stays open on PostgreSQL for 10 minutes, so that nothing deleted is cleared away",
  rounds: { short: 1, full: 1 },
  defect: {
    what: "what is accepted is claimed like what is due again",
    file: "delivery/worker.ts",
    replace: "    return this.#sends && !this.#isStopping && leased + claimed < LEASED_MAX;",
    by: "    return this.#sends && !this.#isStopping && leased + claimed < LEASED_MAX - LEASED_MAX;",
    breaks: /slower than before|due until picked up/,
  },
  async run(order) {
    const findings = new Findings(order);
    const options = { database: "postgres", nodes: 1, perSecond: 200 } as const;
    const site = await startSite(order, { ...options, groupSizes: GROUP_SIZES });
    const { load, receiver, place } = site;
    receiver.failsFirst = true;
    load.start();
    // Its first seconds are not like the others.
    await wait(order.isShort ? 0 : MEASURED_MS / 2);
    const before = await measure(site, order);
    const letGo = await holdSnapshot(place);
    for (let leftMs = order.isShort ? SHORT_PINNED_MS : PINNED_MS; leftMs > 0; leftMs -= 1_000) {
      await wait(Math.min(1_000, leftMs));
      order.say(`${Math.round(leftMs / 1_000)} s to go, ${load.accepted.size} accepted`);
    }
    const after = await measure(site, order);
    await letGo();
    await load.pause();
    findings.runs = 1;
    const bounds = { timesMax: SLOWER_MAX, unnoticedMs: UNNOTICED_MS };
    findings.judgeSlowdown("accepting", {
      before: before.accepted,
      after: after.accepted,
      ...bounds,
    });
    findings.judgeSlowdown("sending", { before: before.sent, after: after.sent, ...bounds });
    for (const ms of after.retried) findings.time("due until picked up", ms - RETRY_MS);
    findings.judgeTimes("due until picked up", PICKED_UP_MAX_MS);
    await account(site, findings);
    return findings;
  },
};

/** Milliseconds of each notification in a while. */
interface Pace {
  readonly accepted: readonly number[];
  /** From its acceptance until the push service has it, of those that are sent at once. */
  readonly sent: readonly number[];
  /** And of those whose first attempt fails. */
  readonly retried: readonly number[];
}

async function measure({ load, receiver }: Site, order: Order): Promise<Pace> {
  const since = performance.now();
  load.acceptedMs.length = 0;
  await wait(order.isShort ? SHORT_MEASURED_MS : MEASURED_MS);
  const accepted = [...load.acceptedMs];
  const until = performance.now();
  // What was accepted in the end is sent by then.
  await wait(2 * RETRY_MS);
  const pace = { accepted, sent: [] as number[], retried: [] as number[] };
  for (const [id, at] of load.acceptedAt) {
    if (at < since || at > until) continue;
    const topic = topicOf(id);
    const waits = FAILS_FIRST.test(topic) ? pace.retried : pace.sent;
    waits.push((receiver.lastAt.get(topic) ?? Number.POSITIVE_INFINITY) - at);
  }
  return pace;
}
