/** Returns a function that returns one item after the other, and starts over after the last. */
export function roundRobin<T>(all: readonly T[]): () => T {
  let next = 0;
  return () => {
    const one = all[next];
    if (one === undefined) throw new RangeError("There is nothing to choose from.");
    next = (next + 1) % all.length;
    return one;
  };
}
