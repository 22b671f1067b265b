import { setTimeout as wait } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { Agent, request, type Dispatcher } from "undici";

export interface LoadOptions {
  readonly perSecond: number;
  readonly key: string;
  /** Ids of device groups, sent to in turn. */
  readonly groups: readonly string[];
  /** Statuses besides 200 and 500 that are expected. */
  readonly statuses: readonly number[];
  /** Where the next request goes; null where nobody is there to take it. */
  readonly target: () => string | null;
}

/** The answer to a request that was not accepted; `silence` where the connection ended. */
export type Refusal = "not stored" | "maybe stored" | "silence";

/** One request in so many carries an idempotency key, and is repeated until it is answered. */
const REPEATED_EVERY = 3;
const REPEAT_AFTER_MS = 50;
/** Longer than any fault lasts, on a busy machine as well. */
const REPEAT_MAX_MS = 120_000;
/** A server that answers nothing is not asked by more than this. */
const OPEN_MAX = 2_000;
const TICK_MS = 10;
/** A week, in seconds: no clock that is set a day ahead ends a notification. */
const TTL_S = "604800";
const ANSWER_MAX_MS = 20_000;
/** Accepted, or not to be stored now. */
const EXPECTED: readonly number[] = [200, 500];

interface Asked {
  readonly title: string;
  readonly groupId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Notifications at a steady rate, whatever becomes of them, with a record of what was answered. */
export class Load {
  /** The title of every notification whose sender was told that it is accepted, by its id. */
  readonly accepted = new Map<string, string>();
  /** When it was accepted, by its id; of `performance.now()`. */
  readonly acceptedAt = new Map<string, number>();
  /** Titles that were sent until they were accepted. */
  readonly repeated = new Set<string>();
  /** Of each title, how often its sender was told that nothing is stored, that something may be, or nothing at all. */
  readonly refused = new Map<string, Record<Refusal, number>>();
  /** Answers that no fault explains. */
  readonly surprises: string[] = [];
  /** Milliseconds until each answer of 200. */
  readonly acceptedMs: number[] = [];
  /** Milliseconds until each other answer; a connection that ended counts as well. */
  readonly failedMs: number[] = [];
  readonly #options: LoadOptions;
  readonly #agent: Dispatcher;
  readonly #open = new Set<Promise<void>>();
  readonly #prefix = randomUUID();
  #timer: NodeJS.Timeout | null = null;
  #sent = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#agent = new Agent({ connections: 256, pipelining: 1, headersTimeout: ANSWER_MAX_MS });
  }

  /** Milliseconds of the slowest answer. */
  get slowestMs(): number {
    return [...this.acceptedMs, ...this.failedMs].reduce((most, ms) => Math.max(most, ms), 0);
  }

  /** Sends from now on. */
  start(): void {
    const startedAt = performance.now();
    const before = this.#sent;
    this.#timer = setInterval(() => {
      const due = ((performance.now() - startedAt) / 1_000) * this.#options.perSecond;
      while (this.#sent - before < due) {
        this.#sent += 1;
        // Requests that cannot begin in time are left out: the rate is no debt.
        if (this.#open.size < OPEN_MAX) this.#begin(this.#sent);
      }
    }, TICK_MS);
  }

  /** Sends no more; resolves once everything is answered. */
  async pause(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await Promise.all(this.#open);
  }

  /** Resolves with the milliseconds until the next notification is accepted; with infinity where none is for long. */
  async untilAccepted(): Promise<number> {
    const [since, before] = [performance.now(), this.accepted.size];
    const isOver = () => performance.now() - since > REPEAT_MAX_MS;
    while (this.accepted.size === before && !isOver()) {
      await wait(TICK_MS);
    }
    return isOver() ? Number.POSITIVE_INFINITY : performance.now() - since;
  }

  /** Ends its connections. */
  async end(): Promise<void> {
    await this.pause();
    await this.#agent.destroy();
  }

  #begin(number: number): void {
    const sending = this.#sendUntilTold(number);
    this.#open.add(sending);
    void sending.finally(() => this.#open.delete(sending));
  }

  async #sendUntilTold(number: number): Promise<void> {
    const title = `${this.#prefix} ${number}`;
    const isRepeated = number % REPEATED_EVERY === 0;
    if (isRepeated) this.repeated.add(title);
    const headers = isRepeated ? { "idempotency-key": title } : {};
    const ask = { title, headers, groupId: this.#groupOf(number) };
    if ((await this.#send(ask)) || !isRepeated) return;
    const until = performance.now() + REPEAT_MAX_MS;
    do {
      await wait(REPEAT_AFTER_MS);
    } while (!(await this.#send(ask)) && performance.now() < until);
  }

  /** Resolves with whether the notification was accepted. */
  async #send(asked: Asked): Promise<boolean> {
    const origin = this.#options.target();
    if (origin === null) return false;
    const since = performance.now();
    const status = await this.#ask(origin, asked);
    const tookMs = performance.now() - since;
    if (status === 200) {
      this.acceptedMs.push(tookMs);
      return true;
    }
    this.failedMs.push(tookMs);
    return false;
  }

  async #ask(origin: string, { title, headers, groupId }: Asked): Promise<number> {
    try {
      const answer = await request(`${origin}/api/v1/notify/group/${groupId}`, {
        method: "POST",
        dispatcher: this.#agent,
        headers: {
          "content-type": "application/json",
          "x-api-key": this.#options.key,
          "x-ttl": TTL_S,
          ...headers,
        },
        body: JSON.stringify({ title, body: "of a campaign" }),
      });
      const text = await answer.body.text();
      const id = answer.headers["x-notification-id"];
      if (answer.statusCode === 200) {
        this.accepted.set(String(id), title);
        this.acceptedAt.set(String(id), performance.now());
      } else this.#note(title, refusalIn(text));
      const expected = [...EXPECTED, ...this.#options.statuses];
      if (!expected.includes(answer.statusCode))
        this.surprises.push(`${answer.statusCode} ${text}`);
      return answer.statusCode;
    } catch {
      this.#note(title, "silence");
      return 0;
    }
  }

  #note(title: string, refusal: Refusal): void {
    const counts = this.refused.get(title) ?? { "not stored": 0, "maybe stored": 0, silence: 0 };
    counts[refusal] += 1;
    this.refused.set(title, counts);
  }

  /** By the number, as what is repeated must be the same. */
  #groupOf(number: number): string {
    const { groups } = this.#options;
    return groups[number % groups.length] ?? "";
  }
}

/** The notification API says of every refusal that nothing is stored, but where its message tells otherwise. */
function refusalIn(text: string): Refusal {
  return /may have been stored/.test(text) ? "maybe stored" : "not stored";
}
