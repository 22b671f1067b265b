/** Returns how many typos a word of this length may have. In a short word, one wrong letter makes another word. */
function maxMistakes(length: number): number {
  return length <= 3 ? 1 : length <= 7 ? 2 : 3;
}

/**
 * Returns the word closest to a mistyped one; null if none is close. Counts missing, extra, wrong and swapped letters.
 * Without a close word, returns the only word with this prefix.
 */
export function closest(typed: string, words: Iterable<string>): string | null {
  const candidates = [...words];
  const lowerTyped = typed.toLowerCase();
  let best: string | null = null;
  let fewest = maxMistakes(lowerTyped.length) + 1;
  for (const word of candidates) {
    const mistakes = mistakesBetween(lowerTyped, word.toLowerCase());
    if (mistakes < fewest) [best, fewest] = [word, mistakes];
  }
  if (best !== null || lowerTyped.length < PREFIX_LENGTH_MIN) return best;
  const longer = candidates.filter((word) => word.toLowerCase().startsWith(lowerTyped));
  return longer.length === 1 ? (longer[0] ?? null) : null;
}

const PREFIX_LENGTH_MIN = 2;
/** Longer text is not a mistyped word, and would make the comparison slow. */
const TYPED_LENGTH_MAX = 64;

/** Returns the optimal string alignment distance: Damerau–Levenshtein without repeated edits of one letter. */
function mistakesBetween(typed: string, word: string): number {
  if (typed.length > TYPED_LENGTH_MAX) return Number.POSITIVE_INFINITY;
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: word.length + 1 }, (_, index) => index);
  for (let row = 1; row <= typed.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= word.length; column += 1) {
      const isSame = typed[row - 1] === word[column - 1];
      const isSwap = typed[row - 1] === word[column - 2] && typed[row - 2] === word[column - 1];
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
          row > 1 && column > 1 && isSwap
            ? (beforePrevious[column - 2] ?? 0) + 1
            : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[word.length] ?? 0;
}
