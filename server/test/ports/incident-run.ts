import assert from "node:assert/strict";
import { sql } from "kysely";
import { SERVER } from "#audit/event.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { readTimerPage } from "#timers/store.ts";
import type { Timer } from "#timers/timer.ts";
import { DeathError, type CommitFault } from "../support/commit-faults.ts";
import { createAct } from "../support/incident-bench.ts";
import { findIncidentViolations } from "../support/find-incident-violations.ts";
import { ModelIncident } from "./incident-model.ts";
import { MODEL_TIMER_KINDS, type ModelTimerKind, type ModelTrigger } from "./incident-scenario.ts";
import { readIncidentRows, readIncidentViews, toModelView } from "./incident-view.ts";
import type { World, WorldNode, WorldSender } from "./incident-world.ts";

/** An operation on an incident: a trigger, an act, or a timer that fires before it is due. */
export type IncidentOperation =
  | {
      readonly name: "trigger";
      readonly key: string;
      readonly text: string;
      readonly priority: ModelTrigger["priority"];
      readonly policy: number;
    }
  | {
      readonly name: "act";
      readonly key: string;
      readonly kind: "acknowledge" | "resolve" | "escalate" | "ring_again";
    }
  | { readonly name: "fire early"; readonly pick: number };

type FaultKind = Exclude<CommitFault["kind"], "interruption">;

/** One step of a sequence. `actor` is the index of the process that performs the step. */
export type IncidentStep =
  | {
      readonly name: "do";
      readonly actor: 0 | 1;
      readonly operation: IncidentOperation;
      readonly fault: FaultKind | null;
      /** An operation by the other process between the read and the commit. */
      readonly interruption: IncidentOperation | null;
    }
  | {
      readonly name: "fire";
      readonly actor: 0 | 1;
      /** Whether a process fires each timer twice. */
      readonly firesTwice: boolean;
      /** Whether both processes fire the timers that were due before one of them fired any. */
      readonly bothProcessesFire: boolean;
      readonly fault: FaultKind | null;
    }
  | { readonly name: "advance"; readonly ms: number };

/** The same change in the product and in the model. */
interface Effect {
  readonly product: (node: WorldNode) => Promise<unknown>;
  readonly model: () => void;
}

/** A timer in the product and in the model. */
interface PairedTimer {
  readonly timer: Timer;
  readonly incident: ModelIncident;
  readonly kind: ModelTimerKind;
  readonly modelTimer: { readonly at: number } | undefined;
}

const TABLES = [
  "incident",
  "incident_event",
  "incident_audience",
  "timer",
  "notification",
  "feed_entry",
  "send_job",
  "delivery_page",
] as const;

/** Runs one sequence of steps in the product and in the model. */
export class IncidentRun {
  readonly #world: World;
  readonly #sender: WorldSender;
  readonly #incidents: ModelIncident[] = [];

  /** Empties the database, and begins a sequence. */
  static async begin(world: World, sender: WorldSender): Promise<IncidentRun> {
    const { database } = world.context;
    await database.atomically(TABLES.map((table) => database.db.deleteFrom(table)));
    return new IncidentRun(world, sender);
  }

  private constructor(world: World, sender: WorldSender) {
    this.#world = world;
    this.#sender = sender;
  }

  /** Performs a step in the product and in the model. */
  async perform(step: IncidentStep): Promise<void> {
    if (step.name === "advance") return this.#world.context.clock.advance(step.ms);
    if (step.name === "fire") return this.#fireDue(step);
    const { actor, operation, fault, interruption } = step;
    const effect = await this.#toEffect(operation);
    if (effect === null) return;
    if (fault !== null) return this.#apply(actor, effect, { kind: fault });
    if (interruption === null) return this.#apply(actor, effect, null);
    const run = async () => {
      const other = await this.#toEffect(interruption);
      if (other !== null) await this.#apply(actor === 0 ? 1 : 0, other, null);
    };
    return this.#apply(actor, effect, { kind: "interruption", run });
  }

  async #fireDue({
    actor,
    firesTwice,
    bothProcessesFire,
    fault,
  }: IncidentStep & { name: "fire" }): Promise<void> {
    const now = this.#world.context.now();
    const due = (await this.#listTimers()).filter(({ timer }) => timer.runAt <= now);
    // Both processes have read the same timers.
    for (const node of bothProcessesFire ? ([actor, actor === 0 ? 1 : 0] as const) : [actor]) {
      for (const [index, paired] of due.entries()) {
        const commitFault = fault === null || index > 0 || node !== actor ? null : { kind: fault };
        await this.#apply(node, this.#toFiring(paired), commitFault);
        if (firesTwice) await this.#apply(node, this.#toFiring(paired), null);
      }
    }
  }

  #toFiring({ timer, incident, kind, modelTimer }: PairedTimer): Effect {
    const { now } = this.#world.context;
    return {
      product: (node) => node.fire(timer),
      model: () => {
        // A timer that was set again, moved or removed meanwhile does not fire.
        if (incident.timers.get(kind) === modelTimer) incident.fire(kind, now());
      },
    };
  }

  /** Applies an effect in one process, with or without a fault in its commit, and in the model. */
  async #apply(actor: 0 | 1, { product, model }: Effect, fault: CommitFault | null): Promise<void> {
    const node = this.#world.nodes[actor];
    if (fault !== null) node.faults.arm(fault);
    const hasDied = await product(node).then(
      () => false,
      (error: unknown) => {
        if (error instanceof DeathError) return true;
        throw error;
      },
    );
    node.faults.disarm();
    if (!(hasDied && fault?.kind === "death_before")) model();
    await Promise.all(this.#world.nodes.map((one) => one.waitUntilIdle()));
    if (hasDied) await this.#takeOver(node);
  }

  /** Sends the pushes that a dead process had accepted, as its successor does. */
  async #takeOver(node: WorldNode): Promise<void> {
    const { context } = this.#world;
    await createDeliveryStore(context, context.newId()).recover();
    await node.delivery.worker.claimDue();
    await node.waitUntilIdle();
  }

  /** Returns the effect of an operation; null if its incident or its timer does not exist. */
  async #toEffect(operation: IncidentOperation): Promise<Effect | null> {
    const { now } = this.#world.context;
    if (operation.name === "trigger") return this.#toTrigger(operation);
    if (operation.name === "fire early") {
      const timers = await this.#listTimers();
      const timer = timers[operation.pick % Math.max(1, timers.length)];
      return timer === undefined ? null : this.#toFiring(timer);
    }
    const { key, kind } = operation;
    const index = this.#ordered.findLastIndex((incident) => incident.key === key);
    const incident = this.#ordered[index];
    const incidentId = (await this.#listIds())[index];
    if (incident === undefined || incidentId === undefined) return null;
    return {
      product: (node) =>
        node.incidents.act({
          incidentId,
          kind,
          act: createAct(node),
          actor: SERVER,
          content: null,
        }),
      model: () => incident.act(kind, now()),
    };
  }

  #toTrigger({ key, text, priority, policy }: IncidentOperation & { name: "trigger" }): Effect {
    const { now } = this.#world.context;
    const trigger: ModelTrigger = {
      key,
      text,
      priority,
      policy: priority === "emergency" ? (this.#sender.policies[policy] ?? null) : null,
      autoResolveAfterMs: key === "b" ? 300_000 : null,
    };
    const order = this.#world.createTriggerOrder(this.#sender, trigger);
    return {
      product: (node) => node.incidents.trigger(order),
      model: () => {
        const open = this.#incidents.find((one) => one.key === key && one.state !== "resolved");
        if (open !== undefined) open.trigger(trigger, now());
        else this.#incidents.push(new ModelIncident(this.#sender.target, trigger, now()));
      },
    };
  }

  /** The incidents, sorted by key and then by the order in which they opened. */
  get #ordered(): readonly ModelIncident[] {
    return this.#incidents.toSorted((one, other) => one.key.localeCompare(other.key));
  }

  /** Returns the ids of the incidents in the same order. */
  async #listIds(): Promise<readonly string[]> {
    return (await readIncidentRows(this.#world)).map(({ id }) => id);
  }

  /** Returns all timers, in the order in which they fire. */
  async #listTimers(): Promise<readonly PairedTimer[]> {
    const ids = await this.#listIds();
    const { timers } = await readTimerPage(this.#world.context, {
      kinds: MODEL_TIMER_KINDS,
      max: 64,
    });
    const paired = timers.map((timer) => {
      const incident = this.#ordered[ids.indexOf(timer.subjectId)];
      assert.ok(incident !== undefined, "A timer has no incident.");
      const kind = timer.kind as ModelTimerKind; // The query selects only these kinds.
      return { timer, incident, kind, modelTimer: incident.timers.get(kind) };
    });
    return paired.toSorted(
      (one, other) =>
        one.timer.runAt - other.timer.runAt ||
        MODEL_TIMER_KINDS.indexOf(one.kind) - MODEL_TIMER_KINDS.indexOf(other.kind) ||
        this.#incidents.indexOf(one.incident) - this.#incidents.indexOf(other.incident),
    );
  }

  /** Returns the incidents of the product and of the model, in the same form. */
  async readViews() {
    const actual = await readIncidentViews(this.#world);
    return { actual, expected: this.#ordered.map(toModelView) };
  }

  /** Returns the violations of the invariants, in words. */
  findViolations(): Promise<readonly string[]> {
    const { db } = this.#world.context.database;
    return findIncidentViolations(
      async <Row>(text: string) => (await sql.raw<Row>(text).execute(db)).rows,
    );
  }
}
