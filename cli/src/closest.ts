/** Returns the typos allowed in a word of this length; in a short word, a wrong letter makes another word. */
function mistakesAllowed(length: number): number {
  return length <= 3 ? 1 : length <= 7 ? 2 : 3;
}

/**
 * Returns the word that was most likely meant by a mistyped one, null if none is near: by letters that are missing,
 * added, wrong, or swapped with their neighbour, or as the only word with this prefix.
 */
export function closest(typed: string, words: Iterable<string>): string | null {
  const known = [...words];
  const wanted = typed.toLowerCase();
  let best: string | null = null;
  let fewest = mistakesAllowed(wanted.length) + 1;
  for (const word of known) {
    const mistakes = mistakesBetween(wanted, word.toLowerCase());
    if (mistakes < fewest) [best, fewest] = [word, mistakes];
  }
  if (best !== null || wanted.length < PREFIX_LEAST) return best;
  const longer = known.filter((word) => word.toLowerCase().startsWith(wanted));
  return longer.length === 1 ? (longer[0] ?? null) : null;
}

const PREFIX_LEAST = 2;
/** Longer text is not a mistyped word, and would need a large table. */
const TYPED_LENGTH_MAX = 64;

/** Optimal string alignment: the Damerau–Levenshtein distance, with no letter moved twice. */
function mistakesBetween(typed: string, word: string): number {
  if (typed.length > TYPED_LENGTH_MAX) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: word.length + 1 }, (_, index) => index);
  for (let row = 1; row <= typed.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= word.length; column += 1) {
      const isSame = typed[row - 1] === word[column - 1];
      const isSwap = typed[row - 1] === word[column - 2] && typed[row - 2] === word[column - 1];
      line.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          row > 1 && column > 1 && isSwap
            ? (before[column - 2] ?? 0) + 1
            : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, line];
  }
  return last[word.length] ?? 0;
}
