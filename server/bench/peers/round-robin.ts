/** Returns a function that returns one item after the other, and starts over after the last. */
export function roundRobin<T>(items: readonly T[]): () => T {
  let next = 0;
  return () => {
    const item = items[next];
    if (item === undefined) throw new RangeError("The list is empty.");
    next = (next + 1) % items.length;
    return item;
  };
}
