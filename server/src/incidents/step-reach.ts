import type { Context } from "#context.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { findRecordedDeliveries, findResults } from "#notifications/log/store.ts";
import type { Incident } from "./incident.ts";
import { resolveNextStep } from "./resolve-step.ts";
import { listLatestPushes, listStepEntries, type StoredEntry } from "./store/events.ts";

/** Whether a step reached somebody. It is `pending` while it has reached nobody and a device is still tried. */
export type StepReach = "somebody" | "nobody" | "pending";

type ReachedIncident = Pick<Incident, "id" | "step" | "policy" | "audience" | "owner" | "question">;

/**
 * Returns whether the latest step of an incident reached somebody: by an email, by a push, or by an earlier push to a
 * device that already rang.
 */
export async function findStepReach(
  context: Context,
  incident: ReachedIncident,
): Promise<StepReach> {
  const [step, ...entries] = await listStepEntries(context, incident.id);
  if (step === undefined) return "nobody";
  if (entries.some(({ kind, detail }) => kind === "mail" && detail["withheld"] !== true))
    return "somebody";
  const reach = await findReachOfPushes(context, entries.filter(tellsStep));
  if (reach === "somebody" || typeof step.detail["alreadyRinging"] !== "number") return reach;
  const earlier = await findReachOfRungDevices(context, incident);
  return earlier === "nobody" ? reach : earlier;
}

function tellsStep({ detail: { cause } }: StoredEntry): boolean {
  return cause === "step" || cause === "trigger";
}

function listNotificationIds(pushes: readonly StoredEntry[]): readonly string[] {
  return pushes.flatMap(({ notificationId }) => (notificationId === null ? [] : [notificationId]));
}

async function findReachOfPushes(
  context: Context,
  pushes: readonly StoredEntry[],
): Promise<StepReach> {
  const { endedCounts, unfinishedIds } = await findRecordedDeliveries(
    context,
    listNotificationIds(pushes),
  );
  const hasAccepted = [...endedCounts.values()].some(({ accepted }) => (accepted ?? 0) > 0);
  if (hasAccepted) return "somebody";
  return unfinishedIds.size > 0 ? "pending" : "nobody";
}

/**
 * The number of latest pushes that are searched for a device that already rang: enough for the earlier steps and a few
 * rounds.
 */
const SEARCHED_PUSHES_MAX = 40;

/** Returns whether an earlier push reached a device of the latest step. */
async function findReachOfRungDevices(
  context: Context,
  incident: ReachedIncident,
): Promise<StepReach> {
  const latestStep = await resolveNextStep(context, { ...incident, step: incident.step - 1 });
  const deviceIds = new Set(
    (latestStep?.audiences ?? [])
      .flatMap(({ devices }) => devices ?? [])
      .map((one) => one.deviceId),
  );
  const page = { incidentId: incident.id, limit: SEARCHED_PUSHES_MAX };
  const notificationIds = listNotificationIds(await listLatestPushes(context, page));
  for (const notificationId of notificationIds) {
    const results = await findResults(context, { notificationId, limit: CHUNK_MAX });
    if (results.some(({ deviceId, state }) => state === "accepted" && deviceIds.has(deviceId)))
      return "somebody";
  }
  const { pending } = await findRecordedDeliveries(context, notificationIds);
  const isTried = [...pending.values()].flat().some(({ deviceId }) => deviceIds.has(deviceId));
  return isTried ? "pending" : "nobody";
}
