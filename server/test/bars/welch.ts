/** Returns Welch's t of two samples: the difference of their means in standard errors. */
export function welchT(first: readonly number[], second: readonly number[]): number {
  const [a, b] = [summarise(first), summarise(second)];
  return (a.mean - b.mean) / Math.sqrt(a.variance / first.length + b.variance / second.length);
}

function summarise(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}
