import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ACCESS } from "../app-api/access-table.ts";
import { startAppFixture, type AppFixture } from "../app-api/app-fixture.ts";
import { createValidRequest, type ValidRequest } from "./valid-request.ts";
import type { Operation } from "../app-api/operations.ts";
import { createVictim, findVictimRows, type Victim } from "./victim.ts";

const CONCURRENCY = 16;
const RESPONSE_MAX_MS = 10_000;

/** A running app, a victim that no request may affect, and the victim's rows in the database. */
interface Setup {
  readonly fixture: AppFixture;
  readonly victim: Victim;
  readonly rows: readonly string[];
}

/** A response to a request of an attack; the text of an event stream is empty. */
export interface AttackResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends requests as accounts other than the victim, and checks that no row of the victim changes. */
export class Attack {
  /** Number of requests sent so far. */
  requestCount = 0;
  readonly fieldNames: readonly string[];
  readonly #test: TestContext;
  #setup: Setup;

  private constructor(test: TestContext, fieldNames: readonly string[], setup: Setup) {
    this.#test = test;
    this.fieldNames = fieldNames;
    this.#setup = setup;
  }

  /** Starts an app and an attack that uses these field names. */
  static async start(test: TestContext, fieldNames: readonly string[]): Promise<Attack> {
    return new Attack(test, fieldNames, await startSetup(test));
  }

  get victim(): Victim {
    return this.#setup.victim;
  }

  createValidRequest(operation: Operation): Promise<ValidRequest> {
    return createValidRequest(this.#setup.fixture, operation);
  }

  /**
   * Sends a valid request with a changed body. Repeats the request once on a fresh app if the session has ended or a
   * limit is reached.
   */
  async sendChanged(
    operation: Operation,
    change = (body: Body): Body => body,
  ): Promise<AttackResponse> {
    const needsSession = ACCESS.some((entry) => entry.operation === operation.id);
    // The caller's session has ended, or a limit is reached.
    const exhaustedStatuses = needsSession ? [401, 429] : [429];
    for (let isRetry = false; ; isRetry = true) {
      const validRequest = await this.createValidRequest(operation);
      const response = await this.send({ ...validRequest, body: change(validRequest.body ?? {}) });
      if (isRetry || !exhaustedStatuses.includes(response.status)) return response;
      await this.expectVictimUnchanged(operation.id);
      this.#setup = await startSetup(this.#test);
    }
  }

  /** Sends one request; fails if the response is a 5xx. */
  async send(
    request: ValidRequest & { readonly query?: URLSearchParams },
  ): Promise<AttackResponse> {
    const { method, path, query } = request;
    const body = method === "GET" ? undefined : JSON.stringify(request.body);
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const { url: origin } = this.#setup.fixture.app;
    const url = `${origin}${path}${query === undefined ? "" : `?${query.toString()}`}`;
    this.requestCount += 1;
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(RESPONSE_MAX_MS),
      headers: { ...headers, ...request.headers },
      ...(body === undefined ? {} : { body }),
    });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const text = isStream ? "" : await response.text();
    if (isStream) await response.body?.cancel();
    const summary = `${method} ${url.slice(0, 200)} ${body?.slice(0, 300)}`;
    assert.ok(response.status < 500, `${summary} got status ${response.status}: ${text}`);
    return { status: response.status, text };
  }

  /** Fails if a row that contains an id of the victim was changed, added or removed. */
  async expectVictimUnchanged(operationId: string): Promise<void> {
    const { fixture, victim, rows } = this.#setup;
    assert.deepEqual(await findVictimRows(fixture.app.app.context, victim), rows, operationId);
  }
}

type Body = Readonly<Record<string, unknown>>;

async function startSetup(test: TestContext): Promise<Setup> {
  const fixture = await startAppFixture(test);
  const victim = await createVictim(fixture.app);
  const rows = await findVictimRows(fixture.app.app.context, victim);
  assert.ok(
    rows.length >= 8,
    `only ${rows.length} rows contain the victim's ids; expected at least 8`,
  );
  return { fixture, victim, rows };
}

/** Runs the action for every item, with limited concurrency. */
export async function runInParallel<T>(
  items: readonly T[],
  action: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const runRemaining = async () => {
    for (const [index, item] of entries) await action(item, index);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runRemaining));
}
