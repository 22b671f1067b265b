import { once } from "node:events";
import { join } from "node:path";
import { watchStolenShare } from "../test/support/own-time.ts";
import { OwnScope } from "../test/support/scope.ts";
import type { BenchCase, Contender, Round } from "./case.ts";
import { startPinned } from "./pinned.ts";
import type { Span } from "./work.ts";
import type { WorkOrder } from "./worker.ts";

/** A contender with its rounds. */
export interface Measured {
  readonly contender: Contender;
  readonly rounds: readonly Round[];
}

export interface MeasureOptions {
  readonly rounds: number;
  readonly span: Span;
  /** Called after every round; must not throw. */
  readonly onRound: (contender: Contender, round: Round) => void;
}

/** Runs the contenders of a case alternately, round after round, so that disturbances of the machine affect all of them. */
export async function measure(
  bench: BenchCase,
  { rounds, span, onRound }: MeasureOptions,
): Promise<readonly Measured[]> {
  const scope = new OwnScope();
  try {
    const place = await bench.start(scope);
    const measured = bench.contenders.map((contender) => ({ contender, rounds: [] as Round[] }));
    for (let round = 0; round < rounds; round += 1) {
      for (const { contender, rounds: done } of measured) {
        const result = await perform(contender, { place, span });
        done.push(result);
        onRound(contender, result);
      }
    }
    return measured;
  } finally {
    await scope.end();
  }
}

async function perform(
  { module, input = {}, cores = "one" }: Contender,
  { place, span }: { readonly place: Readonly<Record<string, unknown>>; readonly span: Span },
): Promise<Round> {
  const core = cores === "one" ? "measured" : "any";
  const child = startPinned([join(import.meta.dirname, "worker.ts")], core);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${module} ended with ${code}.`);
  });
  const told = once(child, "message") as Promise<[Round]>; // Node's signature of the event.
  const stolenShare = watchStolenShare();
  const order: WorkOrder = { module, input: { ...place, ...input }, span };
  child.send(order);
  const [round] = await Promise.race([told, ended]);
  ended.catch(() => {});
  return { ...round, stolenPercent: stolenShare() * 100 };
}
