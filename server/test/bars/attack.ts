import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ACCESS } from "../app-api/access-table.ts";
import { startStage, type Stage } from "../app-api/stage.ts";
import { createValidRequest, type ValidRequest } from "./valid-request.ts";
import type { Operation } from "../app-api/operations.ts";
import { createVictim, findVictimRows, type Victim } from "./victim.ts";

const CONCURRENCY = 16;
const RESPONSE_MAX_MS = 10_000;

/** A running app, a victim that no request may affect, and the victim's rows in the database. */
interface Setup {
  readonly stage: Stage;
  readonly victim: Victim;
  readonly rows: readonly string[];
}

export interface AttackResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends requests as accounts other than the victim, and checks that no row of the victim changes. */
export class Attack {
  /** Number of requests sent so far. */
  requestCount = 0;
  readonly names: readonly string[];
  readonly #test: TestContext;
  #setup: Setup;

  private constructor(test: TestContext, names: readonly string[], setup: Setup) {
    this.#test = test;
    this.names = names;
    this.#setup = setup;
  }

  /** Starts an app and an attack that uses these field names. */
  static async start(test: TestContext, names: readonly string[]): Promise<Attack> {
    return new Attack(test, names, await startSetup(test));
  }

  get victim(): Victim {
    return this.#setup.victim;
  }

  createValidRequest(operation: Operation): Promise<ValidRequest> {
    return createValidRequest(this.#setup.stage, operation);
  }

  /** Sends a valid request with a changed body; once more on a fresh app if the credentials or a limit are used up. */
  async sendChanged(
    operation: Operation,
    change = (body: Body): Body => body,
  ): Promise<AttackResponse> {
    const needsSession = ACCESS.some((entry) => entry.operation === operation.id);
    // The caller's session has ended, or a limit is reached.
    const exhaustedStatuses = needsSession ? [401, 429] : [429];
    for (let isLast = false; ; isLast = true) {
      const base = await this.createValidRequest(operation);
      const response = await this.send({ ...base, body: change(base.body ?? {}) });
      if (isLast || !exhaustedStatuses.includes(response.status)) return response;
      await this.expectUntouched(operation.id);
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
    const { url: server } = this.#setup.stage.app;
    const url = `${server}${path}${query === undefined ? "" : `?${query.toString()}`}`;
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
    assert.ok(response.status < 500, `${summary} is answered ${response.status}: ${text}`);
    return { status: response.status, text };
  }

  /** Fails if a row that contains an id of the victim was changed, added or removed. */
  async expectUntouched(operationId: string): Promise<void> {
    const { stage, victim, rows } = this.#setup;
    assert.deepEqual(await findVictimRows(stage.app.app.context, victim), rows, operationId);
  }
}

type Body = Readonly<Record<string, unknown>>;

async function startSetup(test: TestContext): Promise<Setup> {
  const stage = await startStage(test);
  const victim = await createVictim(stage.app);
  const rows = await findVictimRows(stage.app.app.context, victim);
  assert.ok(rows.length >= 8, `${rows.length} rows contain the victim's ids`);
  return { stage, victim, rows };
}

/** Runs the action for every item, with limited concurrency. */
export async function inParallel<T>(
  items: readonly T[],
  action: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const work = async () => {
    for (const [index, item] of entries) await action(item, index);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}
