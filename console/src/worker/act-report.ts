import type { ActOutcome, ActRequest } from "./acts.ts";
import { isAction } from "./push-message.ts";
import { readTexts, type WorkerTexts } from "./worker-texts.ts";

/** The part of a browser notification that an act needs. */
export type ActedNotification = Pick<Notification, "title" | "tag" | "data">;

/** The server and the screen, as an act needs them. */
export interface ActDeps {
  readonly send: (request: ActRequest) => Promise<ActOutcome>;
  readonly show: (title: string, options: NotificationOptions) => Promise<void>;
}

/** The tags of the notifications whose acts have no response yet, unless a push has replaced them meanwhile. */
const awaitedTags = new Set<string>();

/** Notes that a push replaces the notification with this tag: it may be newer than the response to an act. */
export function noteReplaced(tag: string): void {
  awaitedTags.delete(tag);
}

/** Performs the act of a button, and reports it under the tag of the notification, unless a push does. */
export async function actAndReport(
  { send, show }: ActDeps,
  { notification, request }: { notification: ActedNotification; request: ActRequest },
): Promise<void> {
  const { title, tag, data } = notification;
  awaitedTags.add(tag);
  const outcome = await send(request);
  const isReplaced = !awaitedTags.delete(tag);
  const report = createReport({ data, request, outcome, texts: await readTexts() });
  if (report === null || (isReplaced && report.silent === true)) return;
  await show(title, { tag, icon: "/icons/bell-192.png", ...report });
}

/** An act on a notification with this data, and its outcome. */
interface ReportedAct {
  readonly data: unknown;
  readonly request: ActRequest;
  readonly outcome: ActOutcome;
  readonly texts: WorkerTexts;
}

/**
 * Returns the notification that reports an act: quietly what the server says about an answer, or otherwise a failure.
 * Null if there is nothing to report, or if the server pushes it to every device.
 */
export function createReport(act: ReportedAct): NotificationOptions | null {
  const { request, outcome } = act;
  if (request.act === "read") return null;
  const { retry: _retry, opensPage: _opensPage, ...fields } = toFields(act.data);
  const data = { ...fields, link: null };
  switch (outcome.kind) {
    case "done":
      return request.act === "answer" ? { body: outcome.message, silent: true, data } : null;
    case "closed":
      return { body: outcome.message, silent: true, data };
    case "refused":
    case "unanswered": {
      const text = act.texts[request.act][outcome.kind];
      const ownText = request.act === "answer" && isOwnText(data, request.answer);
      const mayRetry = ownText || outcome.kind === "unanswered";
      const retry = { retry: mayRetry ? request : null, opensPage: outcome.kind === "refused" };
      const body = ownText ? `${text}\n${request.answer}` : text;
      return { body, requireInteraction: true, data: { ...data, ...retry } };
    }
  }
}

/** Returns whether an answer is in the person's own words, and would be lost without a report that keeps it. */
function isOwnText({ actions }: Readonly<Record<string, unknown>>, answer: string): boolean {
  const choices = Array.isArray(actions) ? actions.filter(isAction) : [];
  return !choices.some(([, label]) => label === answer);
}

/** A failed act that a click on its report tries again. */
export interface Retry {
  readonly request: ActRequest;
  /** Whether the click also opens the notification's page, because the server has refused the act. */
  readonly opensPage: boolean;
}

/** Returns the failed act that a click on its report tries again; null for any other notification. */
export function findRetry(data: unknown): Retry | null {
  const { retry, opensPage } = toFields(data);
  const request = parseRequest(toFields(retry));
  return request === null ? null : { request, opensPage: opensPage === true };
}

function parseRequest(fields: Readonly<Record<string, unknown>>): ActRequest | null {
  const { act, incidentId, promptId, answer } = fields;
  if (act === "answer") {
    const isComplete = typeof promptId === "string" && typeof answer === "string";
    return isComplete ? { act, promptId, answer } : null;
  }
  const isIncidentAct = act === "acknowledge" || act === "escalate" || act === "ring_again";
  return isIncidentAct && typeof incidentId === "string" ? { act, incidentId } : null;
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  // An object has properties of unknown type. Each value is checked before its use.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
