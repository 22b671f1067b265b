/** Returns Welch's t of two samples: the difference of their means in standard errors. */
export function computeWelchT(first: readonly number[], second: readonly number[]): number {
  const firstSummary = summarise(first);
  const secondSummary = summarise(second);
  return (
    (firstSummary.mean - secondSummary.mean) /
    Math.sqrt(firstSummary.variance / first.length + secondSummary.variance / second.length)
  );
}

function summarise(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squaredDeviationSum = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squaredDeviationSum / (values.length - 1) };
}
