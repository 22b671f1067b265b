import type { Context } from "#context.ts";
import type { Cause } from "@tocsin/sdk";
import { getIncidentId, type NewNotification } from "#delivery/delivery.ts";
import type { Report } from "#delivery/result/watch.ts";
import { isRinging, findNextStep } from "./incident.ts";
import { findStepReach } from "./step-reach.ts";
import { makeStepDue } from "./store/commit-change.ts";
import { findIncident } from "./store/incidents.ts";

/** The dependencies of the review of steps. */
interface ReviewDeps {
  readonly context: Context;
  readonly timers: { wakeAt(at: number): void };
}

/** The causes of pushes to the people of a step. */
const STEP_CAUSES: ReadonlySet<Cause> = new Set(["trigger", "prompt", "step"]);

/**
 * The delays before a review and its repetitions. Results are published before they are stored, so a review may still
 * find a device pending.
 */
const REVIEW_DELAYS_MS = [50, 250, 1_000];

/**
 * Makes the next step of an incident due at once when every device of the latest step has failed. The timer of the step
 * would notice this later, also after a crash; the review is only quicker.
 */
export class ReachReview {
  readonly #deps: ReviewDeps;
  /** The planned review of each incident. */
  readonly #timeouts = new Map<string, NodeJS.Timeout>();

  constructor(deps: ReviewDeps) {
    this.#deps = deps;
  }

  /** Plans a review if a report says that a device of a step was not reached. */
  notice({ interaction }: NewNotification, report: Report): void {
    const incidentId = getIncidentId(interaction);
    if (interaction === null || incidentId === null || !STEP_CAUSES.has(interaction.cause)) return;
    if (report.kind !== "final" || report.result.state === "accepted") return;
    if (!this.#timeouts.has(incidentId)) this.#plan(incidentId, 0);
  }

  /** Cancels all planned reviews. */
  stop(): void {
    for (const timeout of this.#timeouts.values()) clearTimeout(timeout);
    this.#timeouts.clear();
  }

  #plan(incidentId: string, attempt: number): void {
    const delayMs = REVIEW_DELAYS_MS[attempt];
    if (delayMs === undefined) {
      this.#timeouts.delete(incidentId);
      return;
    }
    const timeout = setTimeout(() => void this.#review(incidentId, attempt), delayMs);
    this.#timeouts.set(incidentId, timeout.unref());
  }

  async #review(incidentId: string, attempt: number): Promise<void> {
    const { context, timers } = this.#deps;
    try {
      const incident = await findIncident(context, incidentId);
      const mayStep = incident !== null && isRinging(incident) && findNextStep(incident) !== null;
      const reach = mayStep ? await findStepReach(context, incident) : "somebody";
      if (reach === "pending") return this.#plan(incidentId, attempt + 1);
      this.#timeouts.delete(incidentId);
      if (reach === "somebody" || incident === null) return;
      await makeStepDue(context, incident);
      timers.wakeAt(context.now());
    } catch (error) {
      this.#timeouts.delete(incidentId);
      context.log.warn({ err: error }, "the reach of a step could not be read");
    }
  }
}
