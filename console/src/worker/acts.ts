import de from "../language/de/worker.json" with { type: "json" };
import en from "../language/en/worker.json" with { type: "json" };
import { deleteRecord, readRecord } from "./worker-records.ts";

/** The acts of the buttons of an incident. */
type IncidentAct = "acknowledge" | "escalate" | "ring_again";

/** A request to act, as the server takes it. */
export type ActRequest =
  | { readonly act: "read"; readonly notificationIds: readonly string[] }
  | { readonly act: IncidentAct; readonly incidentId: string };

/** The result of an act: performed, refused by the server, or without an answer, so that another try may succeed. */
export type ActOutcome = "done" | "refused" | "unanswered";

/** Shows a browser notification. */
export type ShowNotification = (title: string, options: NotificationOptions) => Promise<void>;

/** The part of a browser notification that an act needs. */
export type ActedNotification = Pick<Notification, "title" | "tag" | "data">;

/** Browsers end a worker whose event takes much longer. */
const TIMEOUT_MS = 15_000;
const TEXTS: Readonly<Record<string, typeof en>> = { en, de };
const HTTP_UNAUTHENTICATED = 401;
const HTTP_TOO_MANY = 429;
const HTTP_SERVER_ERROR = 500;

/** Sends an act with the key of this device, which needs no session. Never rejects. */
export async function sendAct(request: ActRequest): Promise<ActOutcome> {
  try {
    const deviceKey = await readRecord("deviceKey");
    if (deviceKey === null) return "refused";
    const { deviceId, actionKey } = deviceKey;
    const { ok, status } = await fetch("/api/app/v1/acts", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Device ${deviceId}.${actionKey}`,
      },
      body: JSON.stringify(request),
      credentials: "omit",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // The next page that opens gets another key.
    if (status === HTTP_UNAUTHENTICATED) await deleteRecord("deviceKey");
    if (ok) return "done";
    return status === HTTP_TOO_MANY || status >= HTTP_SERVER_ERROR ? "unanswered" : "refused";
  } catch {
    return "unanswered";
  }
}

/** Performs the act of a button. If it fails, shows that under the tag of the notification, whose click tries again. */
export async function actOrReport(
  show: ShowNotification,
  { notification, request }: { notification: ActedNotification; request: ActRequest },
): Promise<void> {
  const outcome = await sendAct(request);
  if (outcome === "done" || request.act === "read") return;
  const { title, tag, data } = notification;
  const body = (await readTexts())[request.act][outcome];
  await show(title, {
    body,
    tag,
    icon: "/icons/bell-192.png",
    requireInteraction: true,
    data: { ...toFields(data), link: null, retry: outcome === "unanswered" ? request : null },
  });
}

/** Marks a notification as read. Returns whether the server has done it. */
export async function sendRead(id: string): Promise<boolean> {
  return (await sendAct({ act: "read", notificationIds: [id] })) === "done";
}

/** Returns the failed act that a click on its report tries again; null for any other notification. */
export function findRetry(data: unknown): ActRequest | null {
  const { act, incidentId } = toFields(toFields(data)["retry"]);
  const isAct = act === "acknowledge" || act === "escalate" || act === "ring_again";
  return isAct && typeof incidentId === "string" ? { act, incidentId } : null;
}

/** Returns the act of a pressed button; null if only the notification's page has it. */
export function toActRequest({ action, incident }: PressedButton): ActRequest | null {
  const act = ACTS_BY_BUTTON.get(action);
  return act === undefined || incident === null ? null : { act, incidentId: incident };
}

/** A pressed button, and the incident of its notification. */
interface PressedButton {
  readonly action: string;
  readonly incident: string | null;
}

/** The acts by the ids of the buttons that the server sends. */
const ACTS_BY_BUTTON: ReadonlyMap<string, IncidentAct> = new Map([
  ["ack", "acknowledge"],
  ["pass", "escalate"],
  ["again", "ring_again"],
]);

async function readTexts(): Promise<typeof en> {
  const language = await readRecord("language").catch(() => null);
  return TEXTS[language ?? navigator.language.split("-")[0] ?? ""] ?? en;
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  // An object has properties of unknown type. Each value is checked before its use.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
