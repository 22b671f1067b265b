// node server/bench/worker.ts, with the work as a message: a process of its own, so that contenders share no heap.
import { inspect } from "node:util";
import type { Round } from "./case.ts";
import type { Span } from "./work.ts";

/** The exports of a module under `contenders/`. */
export interface WorkModule {
  /** Does the work for the given time, and returns its figures. */
  work(input: Readonly<Record<string, unknown>>, span: Span): Promise<Round>;
}

export interface WorkOrder {
  /** The name of the module. */
  readonly module: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly span: Span;
}

process.once("message", (order: WorkOrder) => {
  run(order).catch((error: unknown) => {
    process.stderr.write(`${inspect(error)}\n`);
    process.exit(1);
  });
});

async function run({ module, input, span }: WorkOrder): Promise<void> {
  const contender = (await import(`./contenders/${module}.ts`)) as WorkModule; // Every module under `contenders/` has this form.
  const round = await contender.work(input, span);
  process.send?.(round, () => process.exit(0));
}
