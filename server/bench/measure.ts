import { once } from "node:events";
import { join } from "node:path";
import { watchStealShare } from "../test/support/steal-time.ts";
import { ManualScope } from "../test/support/scope.ts";
import type { BenchCase, Contender, Programs, Round } from "./case.ts";
import { startPinned } from "./cpu-pinning.ts";
import type { MeasurementDurations } from "./measure-throughput.ts";
import type { BenchTask } from "./worker.ts";

/** A contender, and its figures of every round. */
export interface ContenderRounds {
  readonly contender: Contender;
  readonly rounds: readonly Round[];
}

/** How long and how often each contender is measured. */
export interface MeasureOptions {
  readonly roundCount: number;
  readonly durations: MeasurementDurations;
  readonly programs: Programs;
  /** Called after every round; must not throw. */
  readonly onRound: (contender: Contender, round: Round) => void;
}

/** Runs the contenders of a case alternately, round after round, so that disturbances of the machine affect all of them. */
export async function measure(
  benchCase: BenchCase,
  { roundCount, durations, programs, onRound }: MeasureOptions,
): Promise<readonly ContenderRounds[]> {
  const scope = new ManualScope();
  try {
    const environment = await benchCase.start(scope, programs);
    const measured = benchCase.contenders.map((contender) => ({
      contender,
      rounds: [] as Round[],
    }));
    for (let round = 0; round < roundCount; round += 1) {
      for (const { contender, rounds: completed } of measured) {
        const result = await runContender(contender, { environment, durations });
        completed.push(result);
        onRound(contender, result);
      }
    }
    return measured;
  } finally {
    await scope.end();
  }
}

async function runContender(
  { module, input = {}, cores = "one" }: Contender,
  {
    environment,
    durations,
  }: {
    readonly environment: Readonly<Record<string, unknown>>;
    readonly durations: MeasurementDurations;
  },
): Promise<Round> {
  const core = cores === "one" ? "measured" : "any";
  const child = startPinned([join(import.meta.dirname, "worker.ts")], core);
  const unexpectedExit = once(child, "exit").then(([code, signal]) => {
    throw new Error(`${module} exited with ${code ?? signal}.`);
  });
  const firstMessage = once(child, "message") as Promise<[Round]>; // The worker sends one `Round`.
  const readStealShare = watchStealShare();
  const task: BenchTask = { module, input: { ...environment, ...input }, durations };
  child.send(task);
  const [round] = await Promise.race([firstMessage, unexpectedExit]);
  unexpectedExit.catch(() => {});
  return { ...round, stolenPercent: readStealShare() * 100 };
}
