import { setTimeout as wait } from "node:timers/promises";
import { topicOf } from "#providers/webpush/payload.ts";
import { openBooks, type Books } from "./books.ts";
import { startOwnTime } from "../support/own-time.ts";
import type { Findings } from "./findings.ts";
import type { Site } from "./site.ts";

/** A service that failed for several is asked after 30 seconds, and a minute later again: what waits for it may take so long. */
const QUIET_MAX_MS = 180_000;
const LOOK_EVERY_MS = 100;

interface NotificationRow {
  readonly id: string;
  readonly title: string;
  readonly device_count: number | string | null;
}

interface PageRow {
  readonly notification_id: string;
  readonly results: string;
}

/**
 * Waits until nothing is owed, and accounts for everything: what was accepted is stored, every device of it has exactly one
 * outcome, and who has one of success was really sent to.
 */
export async function account(
  { load, receiver, place }: Site,
  findings: Findings,
  { otherwise = 0 }: { readonly otherwise?: number } = {},
): Promise<void> {
  await load.pause();
  const books = await openBooks(place);
  try {
    await waitUntilQuiet(books, findings);
    const stored = await books.rows<NotificationRow>(
      "select id, title, device_count from notification",
    );
    accountAccepted(load, stored, findings);
    const pages = await books.rows<PageRow>("select notification_id, results from delivery_page");
    accountDevices(stored, outcomesOf(pages), { receiver, findings, otherwise });
    const [entries] = await books.rows<{ count: number }>(
      `select count(*) as count from notification
        where not exists (select 1 from feed_entry where notification_id = notification.id)`,
    );
    findings.expect(Number(entries?.count) === 0, `${entries?.count} are in nobody's feed`);
    if (place.kind === "sqlite") await checkFile(books, findings);
  } finally {
    await books.close();
  }
  const { surprises } = load;
  findings.expect(surprises.length === 0, `${surprises.length} surprises: ${surprises[0]}`);
  const { refused } = receiver;
  findings.expect(refused.length === 0, `${refused.length} refused requests: ${refused[0]}`);
  findings.expect(
    findings.duplicates <= findings.duplicatesMax,
    `${findings.duplicates} duplicates, above the bound of ${findings.duplicatesMax}`,
  );
}

/** Resolves with true once nothing is owed, with false where something still is after `limitMs`. */
export async function untilQuiet(books: Books, limitMs: number): Promise<boolean> {
  const ownMs = startOwnTime();
  while (ownMs() < limitMs) {
    const [row] = await books.rows<{ count: number | string }>(COUNT_JOBS);
    if (Number(row?.count) === 0) return true;
    await wait(LOOK_EVERY_MS);
  }
  return false;
}

async function waitUntilQuiet(books: Books, findings: Findings): Promise<void> {
  if (await untilQuiet(books, QUIET_MAX_MS)) return;
  const owed = await books.rows<OwedRow>("select pending, owner, run_at from send_job");
  const seconds = QUIET_MAX_MS / 1_000;
  findings.expect(false, `${owed.length} jobs are owed after ${seconds} s: ${describe(owed)}`);
}

/**
 * Accounts for a copy that was made meanwhile: it is sound, what was accepted `before` is in it, and every device of that has
 * an outcome or is still owed one.
 */
export async function accountCopy(
  books: Books,
  { before, findings }: { readonly before: readonly string[]; readonly findings: Findings },
): Promise<void> {
  await checkFile(books, findings);
  const stored = await books.rows<NotificationRow>(
    "select id, title, device_count from notification",
  );
  const ids = new Set(stored.map(({ id }) => id));
  const missing = before.filter((id) => !ids.has(id));
  findings.lost += missing.length;
  findings.expect(missing.length === 0, `${missing.length} notifications are not in the backup`);
  const outcomes = outcomesOf(
    await books.rows<PageRow>("select notification_id, results from delivery_page"),
  );
  const owed = await books.rows<OwedDevices>("select notification_id, pending from send_job");
  const count = (of: ReadonlyMap<string, number>, id: string) => of.get(id) ?? 0;
  const pending = new Map<string, number>();
  for (const { notification_id: id, pending: devices } of owed) {
    // Written by pendingText alone.
    const { length } = JSON.parse(devices ?? "[]") as readonly unknown[];
    pending.set(id, count(pending, id) + length);
  }
  const wrong = stored.filter(
    ({ id, device_count }) =>
      (outcomes.get(id)?.size ?? 0) + count(pending, id) !== Number(device_count),
  );
  findings.lost += wrong.length;
  findings.expect(wrong.length === 0, `${wrong.length} are in the backup without their devices`);
}

interface OwedDevices {
  readonly notification_id: string;
  readonly pending: string | null;
}

interface OwedRow {
  readonly pending: string | null;
  readonly owner: string;
  readonly run_at: number | string;
}

const COUNT_JOBS = "select count(*) as count from send_job";

/** Says how many devices wait for which reason, and when their jobs are due. */
function describe(owed: readonly OwedRow[]): string {
  const reasons: Record<string, number> = {};
  for (const { pending } of owed) {
    // Written by pendingText alone: the fourth says why, the fifth in words.
    const devices = JSON.parse(pending ?? "[]") as readonly unknown[][];
    for (const [, , , code, detail] of devices) {
      const reason = `${String(code)} ${String(detail)}`;
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
  }
  const held = owed.filter(({ owner }) => owner !== "").length;
  const dueInS = owed.map((row) => Math.round((Number(row.run_at) - Date.now()) / 1_000));
  const [least, most] = [Math.min(...dueInS), Math.max(...dueInS)];
  return `${JSON.stringify(reasons)}, ${held} held, due in ${least} to ${most} s`;
}

function accountAccepted(
  load: Site["load"],
  stored: readonly NotificationRow[],
  findings: Findings,
): void {
  findings.accepted = load.accepted.size;
  const ids = new Set(stored.map(({ id }) => id));
  const missing = [...load.accepted.keys()].filter((id) => !ids.has(id));
  findings.lost += missing.length;
  findings.expect(missing.length === 0, `${missing.length} accepted notifications are not stored`);
  const titles = new Map<string, number>();
  for (const { title } of stored) titles.set(title, (titles.get(title) ?? 0) + 1);
  const twice = [...titles].filter(([, count]) => count > 1);
  findings.expect(twice.length === 0, `${twice.length} notifications are stored twice`);
  const answered = new Set(load.accepted.values());
  const unanswered = [...load.repeated].filter((title) => !answered.has(title));
  findings.expect(
    unanswered.length === 0,
    `${unanswered.length} repeated requests were never accepted`,
  );
}

/** How often a device has an outcome, and the last one in words; null where it is success. */
interface DeviceOutcome {
  readonly count: number;
  readonly otherwise: string | null;
}

/** Of each notification, the outcomes of its devices. */
type Outcomes = ReadonlyMap<string, ReadonlyMap<string, DeviceOutcome>>;

function outcomesOf(pages: readonly PageRow[]): Outcomes {
  const outcomes = new Map<string, Map<string, DeviceOutcome>>();
  for (const { notification_id: id, results } of pages) {
    const devices = outcomes.get(id) ?? new Map<string, DeviceOutcome>();
    outcomes.set(id, devices);
    // Written by resultsText alone: what came of it, why, and in words.
    for (const [device, , state, code, detail] of JSON.parse(results) as readonly string[][]) {
      if (device === undefined) continue;
      const count = (devices.get(device)?.count ?? 0) + 1;
      const otherwise = state === "accepted" ? null : `${state} ${code} ${detail}`;
      devices.set(device, { count, otherwise });
    }
  }
  return outcomes;
}

function accountDevices(
  stored: readonly NotificationRow[],
  outcomes: Outcomes,
  {
    receiver,
    findings,
    otherwise,
  }: { receiver: Site["receiver"]; findings: Findings; otherwise: number },
): void {
  const wrong = { missing: 0, twice: 0, unsent: 0 };
  const unlike: string[] = [];
  for (const { id, device_count: devices } of stored) {
    const found = [...(outcomes.get(id)?.values() ?? [])];
    findings.deliveries += Number(devices);
    wrong.missing += Math.max(0, Number(devices) - found.length);
    wrong.twice += found.filter(({ count }) => count > 1).length;
    unlike.push(...found.flatMap(({ otherwise: why }) => why ?? []));
    const received = [...(receiver.received.get(topicOf(id))?.values() ?? [])];
    const accepted = found.filter(({ otherwise: why }) => why === null).length;
    wrong.unsent += Math.max(0, accepted - received.length);
    findings.duplicates += received.reduce((sum, count) => sum + count - 1, 0);
  }
  findings.lost += wrong.missing;
  findings.expect(wrong.missing === 0, `${wrong.missing} devices have no recorded outcome`);
  findings.expect(wrong.twice === 0, `${wrong.twice} devices have two recorded outcomes`);
  findings.expect(
    unlike.length === otherwise,
    `${unlike.length} deliveries ended otherwise than accepted: ${[...new Set(unlike)].slice(0, 3).join("; ")}`,
  );
  findings.expect(wrong.unsent === 0, `${wrong.unsent} recorded as accepted were never sent`);
}

async function checkFile(books: Books, findings: Findings): Promise<void> {
  const [row] = await books.rows<{ integrity_check: string }>("pragma integrity_check");
  findings.expect(row?.integrity_check === "ok", `the file: ${row?.integrity_check}`);
}
