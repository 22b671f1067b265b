/** Returns a random number from `min` to `max`. */
export function randomBetween(min: number, max: number): number {
  return min + Math.random() * (max - min);
}
