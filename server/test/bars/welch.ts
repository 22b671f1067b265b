/** Returns Welch's t of two samples: how far apart their means are, in errors of the difference. */
export function welchT(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [momentsOf(one), momentsOf(other)];
  return (a.mean - b.mean) / Math.sqrt(a.variance / one.length + b.variance / other.length);
}

function momentsOf(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}
