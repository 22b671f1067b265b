import { setTimeout as wait } from "node:timers/promises";
import { topicOf } from "#providers/webpush/payload.ts";
import { account } from "./accounting.ts";
import { holdSnapshot, leaveEndedJobs, openBooks } from "./books.ts";
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
/** A look passes by what ended in the last half minute; all that ended since the snapshot is many times more. */
const ENTRIES_MAX = 4_000;
/** In the short form, as many jobs as the full one ends: it is they that are in the way. */
const ENDED_BEFORE = 120_000;
/** It is the number of jobs that counts. */
const GROUP_SIZES = Array.from({ length: 50 }, () => 1);

/** Somebody keeps a transaction open, so that PostgreSQL cannot clear away what was deleted since. */
export const pinnedSnapshot: Campaign = {
  name: "pinned-snapshot",
  fault:
    "a transaction that stays open on PostgreSQL for 10 minutes, so that nothing deleted is cleared away",
  rounds: { short: 1, full: 1 },
  defect: {
    mistake: "each look for due work begins at the beginning",
    file: "delivery/store/claim-low-water-mark.ts",
    replace: "    const drainedAt = this.#isNeeded ?",
    by: "    const drainedAt = !this.#isNeeded ?",
    breaks: /pass by what ended long ago/,
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
    if (order.isShort) await leaveEndedJobs(place, ENDED_BEFORE);
    const passedBy = await watchPassedBy(site);
    for (let leftMs = order.isShort ? SHORT_PINNED_MS : PINNED_MS; leftMs > 0; leftMs -= 1_000) {
      await wait(Math.min(1_000, leftMs));
      order.say(`${Math.round(leftMs / 1_000)} s to go, ${load.accepted.size} accepted`);
    }
    const after = await measure(site, order);
    const entries = await passedBy();
    await letGo();
    await load.pause();
    findings.runs = 1;
    judge(findings, { before, after, entries });
    await account(site, findings);
    return findings;
  },
};

interface Seen {
  readonly before: Pace;
  readonly after: Pace;
  /** Of the index of due work, read for each notification. */
  readonly entries: number;
}

function judge(findings: Findings, { before, after, entries }: Seen): void {
  const bounds = { timesMax: SLOWER_MAX, unnoticedMs: UNNOTICED_MS };
  findings.judgeSlowdown("accepting", {
    before: before.accepted,
    after: after.accepted,
    ...bounds,
  });
  findings.judgeSlowdown("sending", { before: before.sent, after: after.sent, ...bounds });
  findings.note(`${Math.round(entries)} entries of due work read for each notification`);
  findings.expect(entries <= ENTRIES_MAX, "looks for due work pass by what ended long ago");
  for (const ms of after.retried) findings.time("due until picked up", ms - RETRY_MS);
  findings.judgeTimes("due until picked up", PICKED_UP_MAX_MS);
}

/** Returns a function that says how many entries of the index of due work were read since for each notification. */
async function watchPassedBy({ load, place }: Site): Promise<() => Promise<number>> {
  const books = await openBooks(place);
  const read = async () => {
    const [row] = await books.rows<{ entries: string }>(ENTRIES_READ);
    return Number(row?.entries);
  };
  const [entriesBefore, acceptedBefore] = [await read(), load.accepted.size];
  return async () => {
    const entries = (await read()) - entriesBefore;
    await books.close();
    return entries / (load.accepted.size - acceptedBefore);
  };
}

/** Deleted rows count as well (PostgreSQL, "The Cumulative Statistics System"). */
const ENTRIES_READ = `
  select idx_tup_read as entries from pg_stat_user_indexes where indexrelname = 'send_job_due'`;

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
  // Notifications accepted at the end are sent by then.
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
