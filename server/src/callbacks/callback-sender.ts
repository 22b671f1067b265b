import { WakeableTask } from "#concurrency/wakeable-task.ts";
import type { Context } from "#context.ts";
import type { CallbackOutcome, SendCallback } from "./callback.ts";
import { signCallback } from "./sign.ts";
import { failCallback, type CallbackFailureListener } from "./store/failures.ts";
import {
  claimCallbacks,
  findNextCallbackDueAt,
  postponeCallback,
  removeCallback,
  returnCallback,
  shortenCallbackWaits,
  type LeasedCallback,
} from "./store/outbox.ts";
import { findSecrets } from "./store/secrets.ts";

/** Delays between attempts. A callback that fails after the last delay is given up. */
const RETRY_DELAYS_MS: readonly number[] = [
  5_000,
  30_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  6 * 3_600_000,
  14 * 3_600_000,
];
/** Longer than an attempt and the recording of its result can take. A claimed callback is sent at once. */
const LEASE_MS = 30_000;
/** The maximum number of callbacks that this process sends at once. */
const IN_FLIGHT_MAX = 64;
/**
 * The maximum number of callbacks in one claim. A source with as many in flight is busy, and no more of its callbacks
 * are claimed. So no source has more than twice as many in flight.
 */
const CLAIM_MAX = 8;
/** Delay after a database error. */
const ERROR_DELAY_MS = 10_000;
/** How long a stop waits for callbacks in progress. */
const STOP_GRACE_MS = 5_000;
/** The longest sleep while a callback waits. */
const SLEEP_MAX_MS = 30_000;
/** The longest wait for the next attempt or for the end of a lease, by the number of attempts so far. */
const WAIT_MAX_MS_BY_ATTEMPTS = [
  0,
  ...RETRY_DELAYS_MS.map((delayMs) => Math.max(delayMs, LEASE_MS)),
  LEASE_MS,
];

/** The result of an attempt; the label of a metric. */
export type CallbackResult = "delivered" | "retried" | "failed";

/** The dependencies of the sender. */
export interface CallbackSenderDeps {
  readonly context: Context;
  readonly send: SendCallback;
  /** Publishes that a callback is due, for the processes that send; called if this process sends none. */
  readonly publishDue: () => void;
  readonly onResult: (result: CallbackResult) => void;
}

/**
 * Sends the stored callbacks between `start` and `stop`. Delivery is at least once: after a crash between the
 * receiver's answer and its record, a callback is sent again with the same `webhook-id`. Sets no timer while no
 * callback waits.
 */
export class CallbackSender {
  readonly #deps: CallbackSenderDeps;
  readonly #abort = new AbortController();
  readonly #attempts = new Set<Promise<void>>();
  readonly #inFlightBySource = new Map<string, number>();
  readonly #failureListeners: (readonly [prefix: string, listener: CallbackFailureListener])[] = [];
  readonly #work = new WakeableTask({
    runDueWork: () => this.#beginDue(),
    sleepMaxMs: SLEEP_MAX_MS,
  });
  #isStarted = false;

  constructor(deps: CallbackSenderDeps) {
    this.#deps = deps;
  }

  /** Starts with the callbacks that were stored before. */
  start(): void {
    this.#isStarted = true;
    this.#work.start();
  }

  /** Resolves once no callback is in progress. Aborts slow ones, and makes them due again. */
  async stop(): Promise<void> {
    const grace = setTimeout(() => this.#abort.abort(), STOP_GRACE_MS);
    await this.#work.stop();
    await Promise.all(this.#attempts);
    clearTimeout(grace);
  }

  /** Announces a callback that the caller's own transaction stored, see `insertCallbackQuery`. */
  announce(): void {
    if (this.#isStarted) this.wake();
    else this.#deps.publishDue();
  }

  /** Makes this process look for due callbacks; without effect before `start`. */
  wake(): void {
    this.#work.wake();
  }

  /** Before `start`, adds a listener for failed callbacks whose event begins with `prefix`, such as `incident.`. */
  onFailed(prefix: string, listener: CallbackFailureListener): void {
    this.#failureListeners.push([prefix, listener]);
  }

  /**
   * Begins to send due callbacks, and returns the milliseconds until the next run; null if only a new callback or the
   * end of an attempt can cause one.
   */
  async #beginDue(): Promise<number | null> {
    const { context } = this.#deps;
    const max = Math.min(CLAIM_MAX, IN_FLIGHT_MAX - this.#attempts.size);
    if (max <= 0) return null;
    try {
      await shortenCallbackWaits(context, WAIT_MAX_MS_BY_ATTEMPTS);
      const until = context.now() + LEASE_MS;
      const busySourceIds = this.#listBusySources();
      const callbacks = await claimCallbacks(context, { max, until, busySourceIds });
      for (const callback of callbacks) this.#begin(callback);
      if (callbacks.length === max) return 0;
      const dueAt = await findNextCallbackDueAt(context, this.#listBusySources());
      return dueAt === null ? null : Math.max(1, dueAt - context.now());
    } catch (error) {
      context.log.error({ err: error }, "the callback queue failed");
      return ERROR_DELAY_MS;
    }
  }

  /**
   * Returns the sources that have enough callbacks in flight. Without this limit, a source whose receiver never answers
   * would take all of `IN_FLIGHT_MAX`.
   */
  #listBusySources(): readonly string[] {
    return [...this.#inFlightBySource].flatMap(([sourceId, count]) =>
      count >= CLAIM_MAX ? [sourceId] : [],
    );
  }

  #begin(callback: LeasedCallback): void {
    const { sourceId } = callback;
    this.#inFlightBySource.set(sourceId, (this.#inFlightBySource.get(sourceId) ?? 0) + 1);
    const attempt = this.#attempt(callback)
      .catch((error: unknown) => {
        // The lease of the callback ends, and another attempt follows.
        this.#deps.context.log.error({ err: error }, "the result of a callback was not recorded");
      })
      .finally(() => {
        const count = (this.#inFlightBySource.get(sourceId) ?? 1) - 1;
        if (count === 0) this.#inFlightBySource.delete(sourceId);
        else this.#inFlightBySource.set(sourceId, count);
        this.#attempts.delete(attempt);
        this.wake();
      });
    this.#attempts.add(attempt);
  }

  async #attempt(callback: LeasedCallback): Promise<void> {
    const { context, onResult } = this.#deps;
    const outcome = await this.#call(callback);
    switch (outcome.kind) {
      case "delivered":
        await removeCallback(context, callback);
        return onResult("delivered");
      case "interrupted":
        return returnCallback(context, callback);
      case "refused":
        return this.#fail(callback, outcome.reason);
      case "retry": {
        const { reason } = outcome;
        const delayMs = RETRY_DELAYS_MS[callback.attempts - 1];
        if (delayMs === undefined) return this.#fail(callback, reason);
        await postponeCallback(context, callback, { runAt: context.now() + delayMs, reason });
        return onResult("retried");
      }
    }
  }

  async #call({ id, sourceId, url, body }: LeasedCallback): Promise<CallbackOutcome> {
    const { context, send } = this.#deps;
    const { secrets, unreadableCount } = await findSecrets(context, sourceId);
    if (secrets.length === 0) return unreadableCount === 0 ? NO_SECRET : UNREADABLE_SECRET;
    const headers = {
      "content-type": "application/json",
      "user-agent": "Tocsin",
      ...signCallback({ id, body, sentAt: context.now() }, secrets),
    };
    return send({ url, headers, body }, this.#abort.signal);
  }

  async #fail(callback: LeasedCallback, reason: string): Promise<void> {
    const { context, onResult } = this.#deps;
    const { id, sourceId, event, subjectId, url, attempts } = callback;
    const failure = { id, sourceId, event, subjectId, url, attempts, reason };
    const listeners = this.#failureListeners
      .filter(([prefix]) => event.startsWith(prefix))
      .map(([, listener]) => listener);
    const statements = listeners.flatMap((listener) => listener.createStatements(failure));
    if (!(await failCallback(context, { ...callback, reason }, statements))) return;
    context.log.warn({ event, subjectId, attempts, reason }, "gave up on a callback");
    onResult("failed");
    for (const listener of listeners) listener.onCommitted?.(failure);
  }
}

/** Not retried: a revoked key has no secret, and never gets one again. */
const NO_SECRET: CallbackOutcome = {
  kind: "refused",
  reason: "the API key has no callback secret",
};

/** Retried: the owner may create a new callback secret, or the operator may restore the session secret. */
const UNREADABLE_SECRET: CallbackOutcome = {
  kind: "retry",
  reason: "the callback secret was sealed with another session secret",
};
