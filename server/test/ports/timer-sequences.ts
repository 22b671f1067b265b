import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { sql } from "kysely";
import {
  didAffectTimer,
  moveTimerQuery,
  removeTimerQuery,
  removeTimersQuery,
  setTimerQuery,
} from "#timers/store.ts";
import { planNext, type TimerHandler, type TimerKind } from "#timers/timer.ts";
import { createRoomContext, type RoomContext } from "../support/context.ts";
import { ManualScope } from "../support/scope.ts";
import { createTimerWorker, listTimers } from "../support/timers.ts";
import {
  FAILURE_COUNT,
  REPEAT_EVERY_MS,
  ROLLBACK_MIN_MS,
  TimerModel,
  type Firing,
} from "./timer-model.ts";

const KINDS: readonly TimerKind[] = ["ring", "step", "update"];
/** Maximum number of reads until the workers are idle. */
const READS_MAX = 1_000;

/** One step of a sequence. A refused step has a condition that is not met. */
type TimerStep =
  | {
      readonly name: "set";
      readonly kind: TimerKind;
      readonly subjectId: string;
      readonly inMs: number;
      readonly isAbsolute: boolean;
      readonly isRefused: boolean;
    }
  | {
      readonly name: "remove";
      readonly subjectId: string;
      readonly kinds: readonly TimerKind[];
      readonly isRefused: boolean;
    }
  | { readonly name: "advance"; readonly ms: number };

const subjectId = fc.constantFrom("a", "b", "c");
const isRefused = fc.integer({ max: 4, min: 0 }).map((number) => number === 0);
const STEPS = fc.array(
  fc.oneof(
    fc.record({
      name: fc.constant("set" as const),
      kind: fc.constantFrom(...KINDS),
      subjectId,
      inMs: fc.integer({ min: -5_000, max: 120_000 }),
      isAbsolute: fc.boolean(),
      isRefused,
    }),
    fc.record({
      name: fc.constant("remove" as const),
      subjectId,
      kinds: fc.uniqueArray(fc.constantFrom(...KINDS), { minLength: 1 }),
      isRefused,
    }),
    fc.record({
      name: fc.constant("advance" as const),
      ms: fc.oneof(
        fc.integer({ min: 0, max: 60_000 }),
        fc.integer({ min: -3_600_000, max: 3_600_000 }),
      ),
    }),
  ),
  { minLength: 1, maxLength: 20 },
);

/**
 * Runs `count` random sequences of steps with two workers on one database, and in a model in memory. The test fails if
 * timers or firings differ after a step.
 */
export async function runTimerSequences(t: TestContext, count: number): Promise<void> {
  const context = await createRoomContext(t);
  const property = fc.asyncProperty(STEPS, async (steps) => {
    await context.database.db.deleteFrom("timer").execute();
    const firings: Firing[] = [];
    const model = new TimerModel();
    for (const step of steps) {
      await applyStep(context, model, step);
      model.run(context.now());
      await runWorkers(context, firings);
      await compare(context, model, firings);
    }
  });
  await fc.assert(property, { numRuns: count });
}

async function applyStep(context: RoomContext, model: TimerModel, step: TimerStep): Promise<void> {
  if (step.name === "advance") {
    context.clock.advance(step.ms);
    return;
  }
  const condition = step.isRefused ? sql<boolean>`1 = 0` : undefined;
  if (step.name === "remove") {
    if (!step.isRefused) model.remove(step.subjectId, step.kinds);
    await context.database.atomically([removeTimersQuery(context, step, condition)]);
    return;
  }
  const { kind, subjectId: subject, inMs, isAbsolute } = step;
  const draft = { kind, subjectId: subject, runAt: context.now() + inMs, isAbsolute };
  if (!step.isRefused) model.set(draft, context.now());
  await context.database.atomically([setTimerQuery(context, draft, condition)]);
}

/**
 * Starts two workers, which begin at different timers, and stops them once no timer is due. Each firing is
 * added once, by the worker that changed the timer. The clock stands still meanwhile.
 */
async function runWorkers(context: RoomContext, firings: Firing[]): Promise<void> {
  const scope = new ManualScope();
  const handler = createHandler(context, firings);
  const workers = [() => 0, () => 0.6].map((random) =>
    createTimerWorker(scope, context, { random }),
  );
  for (const worker of workers) {
    for (const kind of KINDS) worker.register(kind, handler);
    worker.start();
  }
  try {
    for (let readCount = 0; !(await isIdle(context)); readCount += 1) {
      assert.ok(readCount < READS_MAX, "The workers left timers due.");
      for (const worker of workers) worker.wake();
    }
  } finally {
    await scope.end();
  }
}

async function isIdle(context: RoomContext): Promise<boolean> {
  const timers = await listTimers(context);
  return timers.every(({ dueInMs, setInMs }) => dueInMs > 0 && setInMs <= ROLLBACK_MIN_MS);
}

/** Returns a handler that moves or removes each timer by its kind. Records the firing unless another worker did. */
function createHandler(context: RoomContext, firings: Firing[]): TimerHandler {
  return async (due) => {
    const { timer, lateMs } = due;
    const { kind, subjectId: subject, runAt, failures } = timer;
    if (kind === "update" && failures < FAILURE_COUNT) throw new Error("fails as planned");
    const query =
      kind === "ring"
        ? moveTimerQuery(context, timer, planNext(due, REPEAT_EVERY_MS, context.now()))
        : removeTimerQuery(context, timer);
    const [result] = await context.database.atomically([query]);
    if (result !== undefined && didAffectTimer(result))
      firings.push([kind, subject, runAt, lateMs]);
  };
}

async function compare(
  context: RoomContext,
  model: TimerModel,
  firings: readonly Firing[],
): Promise<void> {
  const now = context.now();
  const expected = model.list().map(({ runAt, dueAt, setAt, ...timer }) => ({
    ...timer,
    runInMs: runAt - now,
    dueInMs: dueAt - now,
    setInMs: setAt - now,
  }));
  assert.deepEqual(await listTimers(context), expected);
  assert.deepEqual(firings.toSorted(compareFirings), model.firings.toSorted(compareFirings));
}

function compareFirings(one: Firing, other: Firing): number {
  return one.join(" ") < other.join(" ") ? -1 : 1;
}
