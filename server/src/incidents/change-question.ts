import { setTimeout as wait } from "node:timers/promises";
import { isTimerUnchanged } from "#timers/store.ts";
import type { DueTimer } from "#timers/timer.ts";
import { AppError } from "#errors.ts";
import { applyDecision, DEFAULT_OPTIONS, type ChangeDeps, type ChangeOptions } from "./change.ts";
import { decideQuestion, type QuestionEvent } from "./decide-question.ts";
import type { Incident } from "./incident.ts";
import { removeFiredTimer } from "./store/commit-change.ts";
import { findIncident } from "./store/incidents.ts";

/** A change of a question, and the statements that the room of prompts stores with it. */
export interface QuestionChange {
  readonly event: QuestionEvent;
  readonly createStatements: ChangeOptions["createStatements"];
  /** Whether the statements queue a call. */
  readonly hasCallback: boolean;
}

/** A request to change the question of an incident. */
export interface QuestionOrder {
  readonly incidentId: string;
  /** The timer that causes the change; null if none does. */
  readonly firedTimer: DueTimer | null;
  /**
   * Returns the change to make to the incident, which was just read; null to change nothing. Called again if another
   * change comes first.
   */
  readonly plan: (incident: Incident) => Promise<QuestionChange | null>;
}

/** Maximum number of attempts. Each lost one means that another change, usually an answer, was stored. */
const ATTEMPTS_MAX = 50;
/** Competing processes wait for a random time, up to this long, before the next attempt. */
const PAUSE_MAX_MS = 20;

/**
 * Changes the question of an incident. Returns the incident, changed or not; null if there is none. Throws
 * `unavailable` after too many lost attempts.
 */
export async function changeQuestion(
  deps: ChangeDeps,
  order: QuestionOrder,
): Promise<Incident | null> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const result = await attemptChange(deps, order);
    if (result !== "conflict") return result;
    await wait(Math.random() * PAUSE_MAX_MS);
  }
  const message = "The question changes too often at the moment. Nothing was changed; try again.";
  throw new AppError("unavailable", message, { retryAfterMs: 1_000 });
}

async function attemptChange(
  deps: ChangeDeps,
  { incidentId, firedTimer, plan }: QuestionOrder,
): Promise<Incident | "conflict" | null> {
  const { context } = deps;
  const incident = await findIncident(context, incidentId);
  const planned = incident === null ? null : await plan(incident);
  const decision =
    incident === null || planned === null ? null : decideQuestion(incident, planned.event);
  if (incident === null || planned === null || decision === null) {
    if (firedTimer !== null) await removeFiredTimer(context, firedTimer.timer);
    return incident;
  }
  const input = { previous: incident, decision, step: null };
  const { createStatements, hasCallback } = planned;
  const change = await applyDecision(deps, input, {
    ...DEFAULT_OPTIONS,
    firedTimer,
    createStatements,
  });
  if (change === null) {
    const isDone = firedTimer !== null && !(await isTimerUnchanged(context, firedTimer.timer));
    return isDone ? incident : "conflict";
  }
  if (hasCallback) deps.announce({ hasCallback, hasMail: false });
  return change.incident;
}
