/** Returns what returns one after the other, and behind the last one the first again. */
export function inTurn<T>(all: readonly T[]): () => T {
  let next = 0;
  return () => {
    const one = all[next];
    if (one === undefined) throw new RangeError("There is nothing to take a turn.");
    next = (next + 1) % all.length;
    return one;
  };
}
