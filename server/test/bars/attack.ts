import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ACCESS } from "../app-api/access-table.ts";
import { startStage, type Stage } from "../app-api/stage.ts";
import { baseRequest, type BaseRequest } from "./base-request.ts";
import type { Operation } from "../app-api/operations.ts";
import { createVictim, rowsNaming, type Victim } from "./victim.ts";

const AT_ONCE = 16;
const ANSWER_WAIT_MS = 10_000;

/** A stage, somebody on it who must not be reached, and what the database says of them. */
interface Ground {
  readonly stage: Stage;
  readonly victim: Victim;
  readonly rows: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Asks in the name of others than the victim, and sees that nothing of the victim's changes. */
export class Attack {
  /** Requests so far. */
  asked = 0;
  readonly names: readonly string[];
  readonly #test: TestContext;
  #ground: Ground;

  private constructor(test: TestContext, names: readonly string[], ground: Ground) {
    this.#test = test;
    this.names = names;
    this.#ground = ground;
  }

  /** Starts the attack with these names of fields. */
  static async start(test: TestContext, names: readonly string[]): Promise<Attack> {
    return new Attack(test, names, await startGround(test));
  }

  get victim(): Victim {
    return this.#ground.victim;
  }

  baseRequest(operation: Operation): Promise<BaseRequest> {
    return baseRequest(this.#ground.stage, operation);
  }

  /** Asks about things made for it, with the changed body; on another stage where this one is worn out. */
  async ask(operation: Operation, change = (body: Body): Body => body): Promise<Answer> {
    const isOfSession = ACCESS.some((entry) => entry.operation === operation.id);
    // The asker's rights have ended, or a limit is reached.
    const wornOut = isOfSession ? [401, 429] : [429];
    for (let isLast = false; ; isLast = true) {
      const base = await this.baseRequest(operation);
      const answer = await this.send({ ...base, body: change(base.body ?? {}) });
      if (isLast || !wornOut.includes(answer.status)) return answer;
      await this.expectUntouched(operation.id);
      this.#ground = await startGround(this.#test);
    }
  }

  /** Asks once; fails for an accident of the server. */
  async send(request: BaseRequest & { readonly query?: URLSearchParams }): Promise<Answer> {
    const { method, path, query } = request;
    const body = method === "GET" ? undefined : JSON.stringify(request.body);
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const { url: server } = this.#ground.stage.app;
    const url = `${server}${path}${query === undefined ? "" : `?${query.toString()}`}`;
    this.asked += 1;
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(ANSWER_WAIT_MS),
      headers: { ...headers, ...request.headers },
      ...(body === undefined ? {} : { body }),
    });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const text = isStream ? "" : await response.text();
    if (isStream) await response.body?.cancel();
    const asked = `${method} ${url.slice(0, 200)} ${body?.slice(0, 300)}`;
    assert.ok(response.status < 500, `${asked} is answered ${response.status}: ${text}`);
    return { status: response.status, text };
  }

  /** Fails where a row that names a thing of the victim's has changed, or is new, or is gone. */
  async expectUntouched(by: string): Promise<void> {
    const { stage, victim, rows } = this.#ground;
    assert.deepEqual(await rowsNaming(stage.app.app.context, victim), rows, by);
  }
}

type Body = Readonly<Record<string, unknown>>;

async function startGround(test: TestContext): Promise<Ground> {
  const stage = await startStage(test);
  const victim = await createVictim(stage.app);
  const rows = await rowsNaming(stage.app.app.context, victim);
  assert.ok(rows.length >= 8, `${rows.length} rows name the victim`);
  return { stage, victim, rows };
}

/** Does the same for all, some at a time. */
export async function inParallel<T>(
  all: readonly T[],
  act: (one: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = all.entries();
  const work = async () => {
    for (const [index, one] of entries) await act(one, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
