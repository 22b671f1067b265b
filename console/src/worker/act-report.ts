import type { ActOutcome, ActRequest } from "./acts.ts";
import { isAction } from "./push-message.ts";
import { readTexts, type WorkerTexts } from "./worker-texts.ts";

/** The part of a browser notification that an act needs. */
export type ActedNotification = Pick<Notification, "title" | "tag" | "data">;

/** The functions that send an act, and show its report. */
export interface ActDeps {
  readonly send: (request: ActRequest) => Promise<ActOutcome>;
  readonly show: (title: string, options: NotificationOptions) => Promise<void>;
}

/** The tags of notifications whose act has no response yet. A push that replaces a notification removes its tag. */
const awaitedTags = new Set<string>();

/** Notes that a push replaces the notification with this tag: it may be newer than the response to an act. */
export function noteReplaced(tag: string): void {
  awaitedTags.delete(tag);
}

/**
 * Performs an act, and shows its report in place of the notification. A push that replaced the notification meanwhile
 * stays, unless the act has failed.
 */
export async function actAndReport(
  { send, show }: ActDeps,
  { notification, request }: { notification: ActedNotification; request: ActRequest },
): Promise<void> {
  const { title, data } = notification;
  const { promptTag } = toFields(data);
  const tag = typeof promptTag === "string" ? promptTag : notification.tag;
  awaitedTags.add(tag);
  const [outcome, texts] = await Promise.all([send(request), readTexts()]);
  const report = createReport({ tag, data, request, outcome, texts });
  // No `await` may come between this line and `show`, because a push could arrive during it.
  const isReplaced = !awaitedTags.delete(tag);
  if (report === null || (isReplaced && report.silent === true)) return;
  await show(title, { icon: "/icons/bell-192.png", ...report });
}

/** An act on a notification with this tag and data, and its outcome. */
interface ReportedAct {
  readonly tag: string;
  readonly data: unknown;
  readonly request: ActRequest;
  readonly outcome: ActOutcome;
  readonly texts: WorkerTexts;
}

/**
 * Returns the notification that reports an act: silently the server's message about an answer, or otherwise a failure.
 * Null for marking as read, and for a successful act on an incident, which the server pushes to every device.
 */
export function createReport(act: ReportedAct): NotificationOptions | null {
  const { tag, request, outcome } = act;
  if (request.act === "read") return null;
  const { retry: _retry, opensPage: _opensPage, promptTag: _tag, ...fields } = toFields(act.data);
  const data = { ...fields, link: null };
  if (outcome.kind === "done" && request.act !== "answer") return null;
  if (outcome.kind === "done" || outcome.kind === "closed")
    return { tag, body: outcome.message, silent: true, data };
  const text = act.texts[request.act][outcome.kind];
  const opensPage = outcome.kind === "refused";
  if (request.act === "answer" && isOwnText(data, request.answer)) {
    return {
      // Under the tag of the prompt, the next ring or the end of the prompt would replace the text.
      tag: `${tag}:text`,
      body: `${text}\n${request.answer}`,
      requireInteraction: true,
      data: { ...data, retry: request, opensPage, promptTag: tag },
    };
  }
  const retry = opensPage ? null : request;
  return { tag, body: text, requireInteraction: true, data: { ...data, retry } };
}

/** Returns whether an answer is in the person's own words, so that it is lost unless the report keeps it. */
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
