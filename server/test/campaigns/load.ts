import { setTimeout as wait } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { Agent, request, type Dispatcher } from "undici";

/** Options of a load. */
export interface LoadOptions {
  readonly perSecond: number;
  readonly key: string;
  /** Ids of the device groups that get notifications in turn. */
  readonly groupIds: readonly string[];
  /** Expected statuses other than 200 and 500. */
  readonly expectedStatuses: readonly number[];
  /** Returns the URL for the next request; null if no server is up. */
  readonly nextUrl: () => string | null;
}

/** Kinds of failed requests; `no response` if the connection ended. */
export type FailureKind = "not stored" | "maybe stored" | "no response";

/** One in this many requests has an idempotency key, and is repeated until it is accepted. */
const REPEATED_INTERVAL = 3;
const REPEAT_AFTER_MS = 50;
/** Longer than any fault, even on a busy machine. */
const REPEAT_MAX_MS = 120_000;
/** Maximum number of open requests, for servers that do not respond. */
const OPEN_REQUESTS_MAX = 2_000;
const TICK_MS = 10;
/** One week, so that no notification expires when a clock is set a day ahead. */
const TTL_SECONDS = "604800";
const RESPONSE_MAX_MS = 20_000;
/** Statuses of requests that were accepted, or that failed because of the fault. */
const EXPECTED_STATUSES: readonly number[] = [200, 500];

interface SendRequest {
  readonly title: string;
  readonly groupId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends notifications at a steady rate and records all responses. */
export class Load {
  /** Titles of accepted notifications, by id. */
  readonly acceptedTitles = new Map<string, string>();
  /** The time of acceptance by notification id, as a value of `performance.now()`. */
  readonly acceptedAtById = new Map<string, number>();
  /** Titles of requests that are repeated until they are accepted. */
  readonly repeatedTitles = new Set<string>();
  /** Failed requests by title: the number of each kind. */
  readonly failuresByTitle = new Map<string, Record<FailureKind, number>>();
  /** Responses that no fault explains. */
  readonly unexpectedResponses: string[] = [];
  /** Latency of each 200 response, in milliseconds. */
  readonly acceptedLatenciesMs: number[] = [];
  /** Latency of each other response or ended connection, in milliseconds. */
  readonly failedLatenciesMs: number[] = [];
  /** Responses that say that the database was unavailable, for example because it did not respond in time. */
  unavailableCount = 0;
  /** The number of requests to a port that was closed, which no server can have received. */
  refusedConnectionCount = 0;
  readonly #options: LoadOptions;
  readonly #agent: Dispatcher;
  readonly #openRequests = new Set<Promise<void>>();
  readonly #prefix = randomUUID();
  #timer: NodeJS.Timeout | null = null;
  #sentCount = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#agent = new Agent({ connections: 256, pipelining: 1, headersTimeout: RESPONSE_MAX_MS });
  }

  /** Latency of the slowest response or ended connection, in milliseconds. */
  get slowestMs(): number {
    return [...this.acceptedLatenciesMs, ...this.failedLatenciesMs].reduce(
      (max, ms) => Math.max(max, ms),
      0,
    );
  }

  /** Starts to send. */
  start(): void {
    const startedAt = performance.now();
    const sentBefore = this.#sentCount;
    this.#timer = setInterval(() => {
      const dueCount = ((performance.now() - startedAt) / 1_000) * this.#options.perSecond;
      while (this.#sentCount - sentBefore < dueCount) {
        this.#sentCount += 1;
        // Requests that cannot start in time are dropped, not sent later.
        if (this.#openRequests.size < OPEN_REQUESTS_MAX) this.#startSending(this.#sentCount);
      }
    }, TICK_MS);
  }

  /** Stops sending; resolves once no request is open. */
  async pause(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await Promise.all(this.#openRequests);
  }

  /** Resolves with the milliseconds until the next notification is accepted, or with infinity after two minutes. */
  async waitUntilAccepted(): Promise<number> {
    const startedAt = performance.now();
    const acceptedBefore = this.acceptedTitles.size;
    const isTimeUp = () => performance.now() - startedAt > REPEAT_MAX_MS;
    while (this.acceptedTitles.size === acceptedBefore && !isTimeUp()) {
      await wait(TICK_MS);
    }
    return isTimeUp() ? Number.POSITIVE_INFINITY : performance.now() - startedAt;
  }

  /** Stops sending and closes the connections. */
  async end(): Promise<void> {
    await this.pause();
    await this.#agent.destroy();
  }

  #startSending(number: number): void {
    const sending = this.#sendUntilAccepted(number);
    this.#openRequests.add(sending);
    void sending.finally(() => this.#openRequests.delete(sending));
  }

  async #sendUntilAccepted(number: number): Promise<void> {
    const title = `${this.#prefix} ${number}`;
    const isRepeated = number % REPEATED_INTERVAL === 0;
    if (isRepeated) this.repeatedTitles.add(title);
    const headers = isRepeated ? { "idempotency-key": title } : {};
    const sendRequest = { title, headers, groupId: this.#chooseGroup(number) };
    if ((await this.#send(sendRequest)) || !isRepeated) return;
    const deadlineAt = performance.now() + REPEAT_MAX_MS;
    do {
      await wait(REPEAT_AFTER_MS);
    } while (!(await this.#send(sendRequest)) && performance.now() < deadlineAt);
  }

  /** Sends once; resolves with whether the notification was accepted. */
  async #send(sendRequest: SendRequest): Promise<boolean> {
    const origin = this.#options.nextUrl();
    if (origin === null) return false;
    const sentAt = performance.now();
    const status = await this.#request(origin, sendRequest);
    const latencyMs = performance.now() - sentAt;
    if (status === 200) {
      this.acceptedLatenciesMs.push(latencyMs);
      return true;
    }
    this.failedLatenciesMs.push(latencyMs);
    return false;
  }

  async #request(origin: string, { title, headers, groupId }: SendRequest): Promise<number> {
    try {
      const response = await request(`${origin}/api/v1/notify/group/${groupId}`, {
        method: "POST",
        dispatcher: this.#agent,
        headers: {
          "content-type": "application/json",
          "x-api-key": this.#options.key,
          "x-ttl": TTL_SECONDS,
          ...headers,
        },
        // Some connected apps get only the text.
        body: JSON.stringify({ title, body: title }),
      });
      const text = await response.body.text();
      const id = response.headers["x-notification-id"];
      if (response.statusCode === 200) {
        this.acceptedTitles.set(String(id), title);
        this.acceptedAtById.set(String(id), performance.now());
      } else {
        this.#countFailure(title, classifyFailure(text));
        if (text.includes('"code":"unavailable"')) this.unavailableCount += 1;
      }
      const expectedStatuses = [...EXPECTED_STATUSES, ...this.#options.expectedStatuses];
      if (!expectedStatuses.includes(response.statusCode))
        this.unexpectedResponses.push(`${response.statusCode} ${text}`);
      return response.statusCode;
    } catch (error) {
      this.#countFailure(title, "no response");
      if (error instanceof Error && "code" in error && error.code === "ECONNREFUSED")
        this.refusedConnectionCount += 1;
      return 0;
    }
  }

  #countFailure(title: string, failure: FailureKind): void {
    const counts = this.failuresByTitle.get(title) ?? {
      "not stored": 0,
      "maybe stored": 0,
      "no response": 0,
    };
    counts[failure] += 1;
    this.failuresByTitle.set(title, counts);
  }

  /** Derives the group from the number, so that a repeated request is the same. */
  #chooseGroup(number: number): string {
    const { groupIds } = this.#options;
    return groupIds[number % groupIds.length] ?? "";
  }
}

/** Classifies an error response: unless its message says otherwise, nothing is stored. */
function classifyFailure(text: string): FailureKind {
  return /may have been stored/.test(text) ? "maybe stored" : "not stored";
}
