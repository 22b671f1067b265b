import type { Context } from "#context.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { findRecordedDeliveries, findResults } from "#notifications/log/store.ts";
import type { Incident } from "./incident.ts";
import { resolveNextStep } from "./resolve-step.ts";
import { listLatestPushes, listStepEntries, type StoredEntry } from "./store/events.ts";

/** The answer whether a step reached somebody: `pending` while nobody is reached and a device is still tried. */
export type StepReach = "somebody" | "nobody" | "pending";

type ReachedIncident = Pick<Incident, "id" | "step" | "policy" | "audience" | "owner" | "question">;

/** Returns whether the latest step of an incident reached somebody, by a device that rang already or by a new one. */
export async function getReach(context: Context, incident: ReachedIncident): Promise<StepReach> {
  const [step, ...pushes] = await listStepEntries(context, incident.id);
  if (step === undefined) return "nobody";
  if (pushes.some(({ kind, detail }) => kind === "mail" && detail["withheld"] !== true))
    return "somebody";
  const reach = await getReachOfPushes(context, pushes.filter(tellsStep));
  if (reach === "somebody" || typeof step.detail["alreadyRinging"] !== "number") return reach;
  const earlier = await getReachOfRungDevices(context, incident);
  return earlier === "nobody" ? reach : earlier;
}

function tellsStep({ detail: { cause } }: StoredEntry): boolean {
  return cause === "step" || cause === "trigger";
}

function listNotificationIds(pushes: readonly StoredEntry[]): readonly string[] {
  return pushes.flatMap(({ notificationId }) => (notificationId === null ? [] : [notificationId]));
}

async function getReachOfPushes(
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

/** The number of latest pushes in which a device that rings is looked for: the earlier steps, and a few rounds. */
const LOOKED_PUSHES_MAX = 40;

/** Returns the reach of the latest step's devices by the pushes that rang them before it. */
async function getReachOfRungDevices(
  context: Context,
  incident: ReachedIncident,
): Promise<StepReach> {
  const latest = await resolveNextStep(context, { ...incident, step: incident.step - 1 });
  const deviceIds = new Set(
    (latest?.audiences ?? []).flatMap(({ devices }) => devices ?? []).map((one) => one.deviceId),
  );
  const page = { incidentId: incident.id, limit: LOOKED_PUSHES_MAX };
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
