/** Returns a function that returns the next item at each call, and starts over after the last. */
export function createRoundRobin<T>(items: readonly T[]): () => T {
  let nextIndex = 0;
  return () => {
    const item = items[nextIndex];
    if (item === undefined) throw new RangeError("The list is empty.");
    nextIndex = (nextIndex + 1) % items.length;
    return item;
  };
}
