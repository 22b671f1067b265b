import { findRecordedDeliveries, findResults } from "#notifications/log/store.ts";
import { listEntries, type StoredEntry } from "#incidents/store/events.ts";
import type { ModelIncident } from "./incident-model.ts";
import type { World } from "./incident-world.ts";

/** An incident in the form in which the product and the model are compared. */
interface IncidentView {
  readonly state: string;
  readonly priority: string;
  readonly text: string;
  readonly occurrences: number;
  readonly step: number;
  readonly round: number;
  readonly timers: Readonly<Record<string, number>>;
  readonly feeds: Readonly<Record<string, readonly string[]>>;
  readonly history: readonly string[];
}

/** Returns the view of an incident of the model. */
export function toModelView(incident: ModelIncident): IncidentView {
  const { state, priority, text, occurrences, step, round, timers, feeds, history } = incident;
  return {
    state,
    priority,
    text,
    occurrences,
    step,
    round,
    timers: Object.fromEntries([...timers].map(([kind, { at }]) => [kind, at])),
    feeds: Object.fromEntries([...feeds].map(([name, title]) => [name, [title]])),
    history,
  };
}

/** Returns all incidents, sorted by key and then by the order in which they opened. */
export async function readIncidentRows({ context: { database } }: World) {
  return database.db
    .selectFrom("incident")
    .select(["id", "state", "priority", "title", "occurrences", "step", "round"])
    .orderBy("incident_key")
    .orderBy("id")
    .execute();
}

/** Returns the views of all incidents of the product, in the same order. */
export async function readIncidentViews(world: World): Promise<readonly IncidentView[]> {
  const views: IncidentView[] = [];
  for (const row of await readIncidentRows(world)) {
    const { id, state, priority, title, occurrences, step, round } = row;
    const timers = await readTimers(world, id);
    const feeds = await readFeeds(world, id);
    const history = await readHistory(world, id);
    views.push({ state, priority, text: title, occurrences, step, round, timers, feeds, history });
  }
  return views;
}

async function readTimers({ context: { database } }: World, incidentId: string) {
  const rows = await database.db
    .selectFrom("timer")
    .select(["kind", "run_at"])
    .where("subject_id", "=", incidentId)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.kind, row.run_at]));
}

async function readFeeds({ context: { database }, feedNames }: World, incidentId: string) {
  const rows = await database.db
    .selectFrom("feed_entry")
    .innerJoin("notification", "notification.id", "feed_entry.notification_id")
    .select(["feed_entry.audience_id", "notification.title"])
    .where("notification.incident_id", "=", incidentId)
    .execute();
  const feeds: Record<string, readonly string[]> = {};
  for (const { audience_id: id, title } of rows) {
    const name = feedNames.get(id) ?? id;
    feeds[name] = [...(feeds[name] ?? []), title];
  }
  return feeds;
}

/** Returns the history. A push to several audiences has a notification for each, but one entry in this history. */
async function readHistory(world: World, incidentId: string): Promise<readonly string[]> {
  const entries = await listEntries(world.context, incidentId);
  const history: string[] = [];
  let push: { readonly cause: string; readonly title: string; readonly devices: string[] } | null =
    null;
  const endPush = () => {
    if (push !== null)
      history.push(`push ${push.cause} "${push.title}" ${push.devices.toSorted().join(", ")}`);
    push = null;
  };
  for (const entry of entries) {
    if (entry.kind !== "push") {
      endPush();
      history.push(formatEntry(entry));
      continue;
    }
    const cause = String(entry.detail["cause"]);
    const { title, devices } = await readPush(world, entry.notificationId ?? "");
    // TypeScript does not see that `endPush` changes the variable.
    if (push !== null && (push as { cause: string }).cause !== cause) endPush();
    push ??= { cause, title, devices: [] };
    push.devices.push(...devices);
  }
  endPush();
  return history;
}

function formatEntry({ kind, detail }: StoredEntry): string {
  const fields = ["occurrences", "step", "round", "reason"].flatMap((name) => detail[name] ?? []);
  const lateMs = detail["lateMs"];
  return [kind, ...fields, ...(lateMs === undefined ? [] : ["late", lateMs])].join(" ");
}

async function readPush({ context, endpoints }: World, notificationId: string) {
  const { title } = await context.database.db
    .selectFrom("notification")
    .select("title")
    .where("id", "=", notificationId)
    .executeTakeFirstOrThrow();
  const results = await findResults(context, { notificationId, limit: 100 });
  const { pending } = await findRecordedDeliveries(context, [notificationId]);
  const unfinished = pending.get(notificationId) ?? [];
  const devices = [...results, ...unfinished.map((one) => ({ ...one, state: "pending" }))];
  return {
    title,
    devices: devices.map(({ deviceId, state }) => `${endpoints.get(deviceId) ?? "?"} ${state}`),
  };
}
