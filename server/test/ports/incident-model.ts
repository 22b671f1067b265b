import {
  EXPIRE_MS,
  REPEAT_MS,
  type ModelPolicy,
  type ModelPriority,
  type ModelTarget,
  type ModelTimerKind,
  type ModelTrigger,
} from "./incident-scenario.ts";

/** A timer. Setting a timer again creates a new object, so a stale one can be recognised. */
interface ModelTimer {
  readonly at: number;
}

interface ModelPush {
  readonly cause: string;
  readonly title: string;
  readonly devices: readonly string[];
}

/** The shortest time between two pushes of new texts. */
const UPDATE_MS = 60_000;
/** The time that a step has to reach somebody before the next step is due. */
const REACH_MS = 30_000;
/** The priorities, the lowest first. */
const RANKS: readonly ModelPriority[] = ["low", "normal", "high", "emergency"];

/** An incident in memory, with which an incident of the product must agree. */
export class ModelIncident {
  readonly key: string;
  readonly sender: ModelTarget;
  readonly autoResolveAfterMs: number | null;
  state: "triggered" | "acknowledged" | "expired" | "resolved" = "triggered";
  priority: ModelPriority;
  text: string;
  occurrences = 1;
  step = 0;
  round = 0;
  readonly timers = new Map<ModelTimerKind, ModelTimer>();
  /** The title of the incident's entry in each feed. */
  readonly feeds = new Map<string, string>();
  readonly history: string[] = [];
  policy: ModelPolicy | null;
  #toldAt: number;
  #ringsSince: number | null = null;
  #expiresAt = 0;
  #hasReachedSomebody = false;
  readonly #told: ModelTarget[] = [];
  #pushes: ModelPush[] = [];

  constructor(sender: ModelTarget, trigger: ModelTrigger, now: number) {
    this.sender = sender;
    this.key = trigger.key;
    this.autoResolveAfterMs = trigger.autoResolveAfterMs;
    this.priority = trigger.priority;
    this.text = trigger.text;
    this.policy = trigger.policy;
    this.#toldAt = now;
    this.history.push("opened");
    this.feeds.set(sender.feed, trigger.text);
    this.#planAutoResolve(now);
    if (trigger.priority === "emergency") {
      this.#ringAgain(now);
      this.#reachStep(now, "trigger late 0");
    } else {
      this.#tell("trigger", trigger.text, [sender]);
    }
    this.#endChange();
  }

  trigger({ text, priority, policy }: ModelTrigger, now: number): void {
    const hasRisen = RANKS.indexOf(priority) > RANKS.indexOf(this.priority);
    const isOtherText = text !== this.text;
    this.occurrences += 1;
    if (hasRisen) this.priority = priority;
    if (hasRisen && this.#ringsSince === null) this.policy = policy;
    if (isOtherText) this.text = text;
    this.#planAutoResolve(now);
    if (hasRisen || this.state === "expired") this.#tellLoudly(now);
    else if (isOtherText) this.#update(now);
    this.#endChange();
  }

  #tellLoudly(now: number): void {
    this.state = "triggered";
    this.#toldAt = now;
    this.history.push(`triggered ${this.occurrences}`);
    this.#file(this.text);
    this.#tell("trigger", this.text, this.#told);
    this.timers.delete("update");
    this.timers.delete("remind");
    if (this.priority !== "emergency") return;
    this.#ringAgain(now);
    if (this.step === 0) this.#reachStep(now, "trigger late 0");
  }

  #update(now: number): void {
    this.history.push(`updated ${this.occurrences}`);
    this.#file(this.text);
    if (now < this.#toldAt + UPDATE_MS) {
      this.timers.set("update", { at: this.#toldAt + UPDATE_MS });
      return;
    }
    this.timers.delete("update");
    this.#toldAt = now;
    this.#tell("update", this.text, this.#told);
  }

  /** Performs an act. An act that would change nothing has no effect. */
  act(kind: "acknowledge" | "resolve" | "escalate" | "ring_again", now: number): void {
    if (this.state === "resolved") return;
    if (kind === "resolve") this.#resolve("resolved");
    if (kind === "acknowledge" && this.state !== "acknowledged") this.#acknowledge(now);
    if (kind === "escalate" && this.#ringsSince !== null && this.#nextStep !== undefined)
      this.#reachStep(now, "passed_on late 0");
    if (kind === "ring_again" && this.priority === "emergency") {
      this.#ring("late 0");
      this.#ringAgain(now);
    }
    this.#endChange();
  }

  #acknowledge(now: number): void {
    this.state = "acknowledged";
    this.#endRinging();
    this.history.push("acknowledged");
    this.#tell("acknowledgement", "Acknowledged by Ann", this.#told);
    const remindAfterMs = this.policy?.remindAfterMs ?? null;
    if (remindAfterMs !== null) this.timers.set("remind", { at: now + remindAfterMs });
  }

  #resolve(entry: string): void {
    this.state = "resolved";
    this.#endRinging();
    this.timers.clear();
    this.history.push(entry);
    this.#file(`Resolved: ${this.text}`);
    this.#tell("resolution", `Resolved: ${this.text}`, this.#told);
  }

  /** Fires the timer of a kind. Throws if there is no such timer. */
  fire(kind: ModelTimerKind, now: number): void {
    const timer = this.timers.get(kind);
    if (timer === undefined) throw new Error(`There is no timer ${kind}.`);
    this.timers.delete(kind);
    const lateness = `late ${Math.max(0, now - timer.at)}`;
    if (kind === "ring") {
      this.#ring(lateness);
      this.#planRound(now < timer.at ? now + REPEAT_MS : getNextRoundAt(timer.at, now));
    } else if (kind === "step") {
      this.#fireStep(timer, now);
    } else if (kind === "expire") {
      this.#expire(timer, now);
    } else if (kind === "update") {
      this.#toldAt = now;
      this.#tell("update", this.text, this.#told);
    } else if (kind === "remind") {
      this.#remind(lateness, now);
    } else {
      this.#resolve(`resolved ${lateness}`);
    }
    this.#endChange();
  }

  /** Expires the incident. If that is late or a step is overdue, lets the overdue timers fire first. */
  #expire({ at }: ModelTimer, now: number): void {
    const stepAt = (this.#ringsSince ?? 0) + (this.#nextStep?.afterMs ?? Number.POSITIVE_INFINITY);
    const isLate = now - at > 1_000 && at <= this.#expiresAt;
    if (isLate || (stepAt <= now && stepAt < this.#expiresAt)) {
      this.timers.set("expire", { at: now + 1_000 });
      return;
    }
    this.state = "expired";
    this.#endRinging();
    this.history.push(`expired late ${Math.max(0, now - this.#expiresAt)}`);
  }

  #remind(late: string, now: number): void {
    this.state = "triggered";
    this.#toldAt = now;
    this.history.push(`reminded ${late}`);
    this.#tell("reminder", this.text, this.#told);
    if (this.priority === "emergency") this.#ringAgain(now);
  }

  #fireStep({ at }: ModelTimer, now: number): void {
    const dueAt = (this.#ringsSince ?? 0) + (this.#nextStep?.afterMs ?? 0);
    if (now >= dueAt) this.#reachStep(now, `planned late ${now - dueAt}`);
    else if (this.#hasReachedSomebody) this.timers.set("step", { at: dueAt });
    else this.#reachStep(now, `reached_nobody late ${Math.max(0, now - at)}`);
  }

  #ring(late: string): void {
    this.round += 1;
    this.history.push(`ring ${this.round} ${late}`);
    this.#tell("ring", this.text, this.#told);
  }

  #ringAgain(now: number): void {
    this.state = "triggered";
    this.#ringsSince = now;
    this.#expiresAt = now + EXPIRE_MS;
    this.timers.set("expire", { at: this.#expiresAt });
    this.timers.delete("remind");
    this.#planRound(now + REPEAT_MS);
    this.#planStep(now + REACH_MS);
  }

  #endRinging(): void {
    this.#ringsSince = null;
    for (const kind of ["ring", "step", "expire"] as const) this.timers.delete(kind);
  }

  #reachStep(now: number, reason: string): void {
    const targets = this.#nextStep?.targets ?? [];
    this.step += 1;
    this.history.push(`step ${this.step} ${reason}`);
    const rungDevices = new Set(this.#told.flatMap(({ devices }) => devices));
    const added = targets.filter((target) => !this.#told.includes(target));
    const cause = reason.startsWith("trigger") ? "trigger" : "step";
    this.#tell(cause, this.text, added, rungDevices);
    for (const { feed } of added) if (!this.feeds.has(feed)) this.feeds.set(feed, this.text);
    // A push of the trigger in the same change counts like a push of the step.
    const stepPushes = this.#pushes.filter(({ cause: one }) => one === "trigger" || one === "step");
    this.#hasReachedSomebody = stepPushes.some(({ devices }) => devices.some(isReachable));
    const isEmpty = targets.every(({ devices }) => devices.length === 0);
    this.#planStep(isEmpty ? now : now + REACH_MS);
  }

  get #nextStep(): ModelPolicy["steps"][number] | undefined {
    if (this.policy !== null) return this.policy.steps[this.step];
    return this.step === 0 ? { afterMs: 0, targets: [this.sender] } : undefined;
  }

  #planStep(reviewAt: number): void {
    const next = this.policy?.steps[this.step];
    if (next === undefined || this.#ringsSince === null) this.timers.delete("step");
    else this.timers.set("step", { at: Math.min(this.#ringsSince + next.afterMs, reviewAt) });
  }

  #planRound(at: number): void {
    if (at < this.#expiresAt) this.timers.set("ring", { at });
    else this.timers.delete("ring");
  }

  #planAutoResolve(now: number): void {
    if (this.autoResolveAfterMs !== null)
      this.timers.set("auto_resolve", { at: now + this.autoResolveAfterMs });
  }

  #file(title: string): void {
    for (const feed of this.feeds.keys()) this.feeds.set(feed, title);
  }

  #tell(
    cause: string,
    title: string,
    targets: readonly ModelTarget[],
    except: ReadonlySet<string> = new Set(),
  ): void {
    const devices = [...new Set(targets.flatMap((target) => target.devices))];
    const toldDevices = devices.filter((device) => !except.has(device)).toSorted();
    const earlier = this.#pushes.findIndex((push) => push.cause === cause);
    const [push] = earlier === -1 ? [] : this.#pushes.splice(earlier, 1);
    if (toldDevices.length > 0 || push !== undefined)
      this.#pushes.push({
        cause,
        title,
        devices: [...(push?.devices ?? []), ...toldDevices].toSorted(),
      });
    if (targets !== this.#told) this.#told.push(...targets);
  }

  /** Adds the pushes of the change to the history, after its other entries. */
  #endChange(): void {
    for (const { cause, title, devices } of this.#pushes) {
      const outcomes = devices.map(
        (device) => `${device} ${isReachable(device) ? "accepted" : "rejected"}`,
      );
      this.history.push(`push ${cause} "${title}" ${outcomes.join(", ")}`);
    }
    this.#pushes = [];
  }
}

function isReachable(device: string): boolean {
  return !device.startsWith("bad");
}

/** Returns the time of the next round, counted from the plan of the last one. Skips missed rounds. */
function getNextRoundAt(plannedAt: number, now: number): number {
  let at = plannedAt;
  while (at <= now) at += REPEAT_MS;
  return at;
}
