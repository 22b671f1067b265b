import type { Act } from "@tocsin/sdk";
import { deleteRecord, readRecord } from "./worker-records.ts";

/** The body of a request to act. */
export type ActRequest = Act;

/** The result of an act. Each `message` is a sentence of the server's. */
export type ActOutcome =
  | { readonly kind: "done"; readonly message: string }
  /** The prompt has ended. The message says how, such as by whose answer. */
  | { readonly kind: "closed"; readonly message: string }
  /** The server refused the act for another reason. */
  | { readonly kind: "refused" }
  /** There was no usable response, so another attempt may succeed. */
  | { readonly kind: "unanswered" };

/** Browsers terminate a worker whose event takes much longer. */
const TIMEOUT_MS = 15_000;
const HTTP_UNAUTHENTICATED = 401;
const HTTP_TOO_MANY = 429;
const HTTP_SERVER_ERROR = 500;

/** Sends an act with the action key of this device, which needs no session. Never rejects. */
export async function sendAct(request: ActRequest): Promise<ActOutcome> {
  try {
    const deviceKey = await readRecord("deviceKey");
    if (deviceKey === null) return { kind: "refused" };
    const { deviceId, actionKey } = deviceKey;
    const response = await fetch("/api/app/v1/acts", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Device ${deviceId}.${actionKey}`,
      },
      body: JSON.stringify(request),
      credentials: "omit",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // The next page that opens gets a new key.
    if (response.status === HTTP_UNAUTHENTICATED) await deleteRecord("deviceKey");
    return await interpretResponse(response);
  } catch {
    return { kind: "unanswered" };
  }
}

/** Returns the outcome in a response. A success without a message, as from a sign-in page, counts as `unanswered`. */
export async function interpretResponse(response: Response): Promise<ActOutcome> {
  const { ok, status } = response;
  if (status === HTTP_TOO_MANY || status >= HTTP_SERVER_ERROR) return { kind: "unanswered" };
  const body: unknown = await response.json().catch(() => null);
  const message = readMessage(body);
  if (ok) return message === null ? { kind: "unanswered" } : { kind: "done", message };
  const isClosed = message !== null && readErrorCode(body) === "prompt_closed";
  return isClosed ? { kind: "closed", message } : { kind: "refused" };
}

function readMessage(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("message" in body)) return null;
  return typeof body.message === "string" ? body.message : null;
}

function readErrorCode(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("error" in body)) return null;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error ? error.code : null;
}

/** Marks a notification as read. Returns whether the server has done it. */
export async function sendRead(id: string): Promise<boolean> {
  return (await sendAct({ act: "read", notificationIds: [id] })).kind === "done";
}

/** A pressed button, the incident or the prompt of its notification, and the answer that it gives to the prompt. */
export interface PressedButton {
  readonly action: string;
  readonly incident: string | null;
  readonly prompt: string | null;
  readonly answer: string | null;
}

/** Returns the act of a pressed button; null if the button has none, so that the page must open. */
export function toActRequest({
  action,
  incident,
  prompt,
  answer,
}: PressedButton): ActRequest | null {
  if (prompt !== null) return answer === null ? null : { act: "answer", promptId: prompt, answer };
  const act = ACTS_BY_BUTTON.get(action);
  return act === undefined || incident === null ? null : { act, incidentId: incident };
}

/** The acts by the ids of the buttons that the server sends. */
const ACTS_BY_BUTTON: ReadonlyMap<string, "acknowledge" | "escalate" | "ring_again"> = new Map([
  ["ack", "acknowledge"],
  ["pass", "escalate"],
  ["again", "ring_again"],
] as const);
