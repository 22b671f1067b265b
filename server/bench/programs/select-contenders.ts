import type { BenchCase, Contender, Programs } from "../case.ts";
import type { FoundProgram } from "./find-programs.ts";

/** The servers of other projects that this machine can measure. */
export interface AvailablePrograms {
  readonly found: readonly FoundProgram[];
  /** The reason why no server with a fixed push host can be measured; null if such servers can be measured. */
  readonly fixedPushHostProblem: string | null;
}

/** Returns the paths of the found servers that a case measures. */
export function listPrograms(
  { contenders }: Pick<BenchCase, "contenders">,
  { found }: AvailablePrograms,
): Programs {
  const measured = found.filter(({ name }) => contenders.some(({ program }) => program === name));
  return new Map(measured.map(({ name, path }) => [name, path]));
}

/**
 * Returns a case without the servers that cannot be measured here and without their bars. Adds their versions to the
 * servers that can be measured.
 */
export function selectContenders(
  benchCase: BenchCase,
  { found, fixedPushHostProblem }: AvailablePrograms,
): BenchCase {
  const contenders = benchCase.contenders.flatMap((contender): readonly Contender[] => {
    const { program, hasFixedPushHost = false } = contender;
    if (program === undefined) return [contender];
    const version = found.find(({ name }) => name === program)?.version;
    const isReachable = !hasFixedPushHost || fixedPushHostProblem === null;
    return version !== undefined && isReachable ? [{ ...contender, version }] : [];
  });
  const selected = new Set(contenders.map(({ name }) => name));
  const excluded = benchCase.contenders.filter(({ name }) => !selected.has(name));
  const bars = benchCase.bars.filter((bar) =>
    excluded.every(({ name }) => name !== bar.contender && name !== bar.baseline),
  );
  return { ...benchCase, contenders, bars };
}
