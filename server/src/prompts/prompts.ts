import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { Incidents, IncidentWait } from "#incidents/incidents.ts";
import type { Act, Incident } from "#incidents/incident.ts";
import type { DueTimer, TimerHandler, TimerKind } from "#timers/timer.ts";
import { createEnding } from "./end-prompt.ts";
import { getNextTime, type Prompt } from "./prompt.ts";
import { recordPromptActQuery } from "./store/audit.ts";
import { loadPrompt } from "./store/prompts.ts";
import { createEndedContent } from "./texts.ts";

/** The prompts of a server, as their sender sees them. */
export interface Prompts {
  /** Returns a prompt; null if there is none. */
  find(promptId: string): Promise<Prompt | null>;
  /**
   * Returns a prompt once it has ended, after `waitMs`, or once `signal` is aborted; null if there is no such prompt or
   * if it was removed.
   */
  waitForEnd(promptId: string, wait: Omit<IncidentWait, "condition">): Promise<Prompt | null>;
  /** Ends an open prompt without a final answer; keeps the answers so far. */
  cancel(promptId: string, actor: Actor): Promise<void>;
}

/** The dependencies of the prompts of a server. */
export interface PromptsDeps {
  readonly context: Context;
  readonly incidents: Pick<Incidents, "changeQuestion" | "waitUntil">;
  readonly timers: { register(kind: TimerKind, handler: TimerHandler): void };
}

/** Creates the prompts of a server, and registers the handler of their timer. */
export function createPrompts(deps: PromptsDeps): Prompts {
  const { context, incidents, timers } = deps;
  timers.register("prompt_expire", (firedTimer) => {
    const promptId = firedTimer.timer.subjectId;
    return endWithoutAnswer(deps, {
      promptId,
      state: "expired",
      via: "time",
      actor: null,
      firedTimer,
    });
  });
  return {
    find: (promptId) => loadPrompt(context, promptId),
    async waitForEnd(promptId, { waitMs, signal }) {
      await incidents.waitUntil(promptId, { condition: isClosed, waitMs, signal });
      return loadPrompt(context, promptId);
    },
    cancel: (promptId, actor) =>
      endWithoutAnswer(deps, { promptId, state: "cancelled", via: "key", actor, firedTimer: null }),
  };
}

function isClosed({ closing }: Incident): boolean {
  return closing !== null;
}

const NOBODY = { accountId: null, deviceId: null, note: null };

interface EndRequest {
  readonly promptId: string;
  readonly state: "expired" | "cancelled";
  readonly via: Act["via"];
  /** Null for the server itself. */
  readonly actor: Actor | null;
  readonly firedTimer: DueTimer | null;
}

/** Ends a prompt without a final answer, unless it has already ended. Keeps the answers so far. */
async function endWithoutAnswer(
  { context, incidents }: PromptsDeps,
  { promptId, state, via, actor, firedTimer }: EndRequest,
): Promise<void> {
  await incidents.changeQuestion({
    incidentId: promptId,
    firedTimer,
    async plan(incident) {
      const prompt = await loadPrompt(context, incident.id);
      if (prompt === null || prompt.state !== "open") return null;
      const { answers } = prompt;
      const act = { at: getNextTime(prompt, context.now()), via, ...NOBODY };
      const ending = await createEnding(context, { prompt, state, answer: null, answers, act });
      return {
        event: { kind: "closed", act, content: createEndedContent(prompt.incident, state) },
        hasCallback: ending.hasCallback,
        createStatements: (condition) => [
          ...ending.createStatements(condition),
          ...(actor === null
            ? []
            : [
                recordPromptActQuery(
                  context,
                  { action: "prompt_cancelled", incident, actor },
                  condition,
                ),
              ]),
        ],
      };
    },
  });
}
