// Receives its task as a message. Each contender runs in its own process, so that they share no heap.
import { inspect } from "node:util";
import type { Round } from "./case.ts";
import type { MeasurementDurations } from "./measure-throughput.ts";

/** The exports of a module under `contenders/`. */
export interface ContenderModule {
  /** Does the work for the given time, and returns its figures. */
  measureRound(
    input: Readonly<Record<string, unknown>>,
    durations: MeasurementDurations,
  ): Promise<Round>;
}

/** The message that starts the work of a contender process. */
export interface BenchTask {
  /** The name of the module. */
  readonly module: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly durations: MeasurementDurations;
}

process.once("message", (task: BenchTask) => {
  run(task).catch((error: unknown) => {
    process.stderr.write(`${inspect(error)}\n`);
    process.exit(1);
  });
});

async function run({ module, input, durations }: BenchTask): Promise<void> {
  const contender = (await import(`./contenders/${module}.ts`)) as ContenderModule; // Every module under `contenders/` exports this interface.
  const round = await contender.measureRound(input, durations);
  process.send?.(round, () => process.exit(0));
}
