import { once } from "node:events";
import { join } from "node:path";
import type { BenchCase, Contender, Round } from "./case.ts";
import { startPinned } from "./pinned.ts";
import type { Span } from "./work.ts";
import type { WorkOrder } from "./worker.ts";

/** What the rounds of one contender came to. */
export interface Measured {
  readonly contender: Contender;
  readonly rounds: readonly Round[];
}

export interface MeasureOptions {
  readonly rounds: number;
  readonly span: Span;
  /** Told of every round; must not throw. */
  readonly onRound: (contender: Contender, round: Round) => void;
}

/** Runs the contenders of a case in turn, round after round: what the machine does meanwhile hits all of them. */
export async function measure(
  bench: BenchCase,
  { rounds, span, onRound }: MeasureOptions,
): Promise<readonly Measured[]> {
  await using scope = new AsyncDisposableStack();
  const place = await bench.start({
    after: (end) => {
      scope.defer(async () => {
        await end();
      });
    },
  });
  const measured = bench.contenders.map((contender) => ({ contender, rounds: [] as Round[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { contender, rounds: done } of measured) {
      const { module, input } = contender;
      const result = await perform({ module, input: { ...place, ...input }, span });
      done.push(result);
      onRound(contender, result);
    }
  }
  return measured;
}

async function perform(order: WorkOrder): Promise<Round> {
  const child = startPinned([join(import.meta.dirname, "worker.ts")], "first");
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${order.module} ended with ${code}.`);
  });
  const told = once(child, "message") as Promise<[Round]>; // Node's signature of the event.
  child.send(order);
  const [round] = await Promise.race([told, ended]);
  ended.catch(() => {});
  return round;
}

/** Returns the middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 1 ? half : half - 1], sorted[half]];
  return (low + high) / 2;
}
