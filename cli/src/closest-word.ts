/** Returns how many mistakes a word of this length may have. In a short word, one wrong letter makes another word. */
function getMistakesMax(length: number): number {
  return length <= 3 ? 1 : length <= 7 ? 2 : 3;
}

/**
 * Returns the word closest to a mistyped one; null if none is close. Counts missing, extra, wrong and swapped letters.
 * Without a close word, returns the only word with this prefix.
 */
export function findClosestWord(typed: string, words: Iterable<string>): string | null {
  const candidates = [...words];
  const lowerTyped = typed.toLowerCase();
  let closest: string | null = null;
  let fewestMistakes = getMistakesMax(lowerTyped.length) + 1;
  for (const word of candidates) {
    const mistakes = countMistakes(lowerTyped, word.toLowerCase());
    if (mistakes < fewestMistakes) {
      closest = word;
      fewestMistakes = mistakes;
    }
  }
  if (closest !== null || lowerTyped.length < PREFIX_LENGTH_MIN) return closest;
  const completions = candidates.filter((word) => word.toLowerCase().startsWith(lowerTyped));
  return completions.length === 1 ? (completions[0] ?? null) : null;
}

const PREFIX_LENGTH_MIN = 2;
/** Longer text is not a mistyped word, and would make the comparison slow. */
const TYPED_LENGTH_MAX = 64;

/** Returns the optimal string alignment distance: Damerau–Levenshtein without repeated edits of one letter. */
function countMistakes(typed: string, word: string): number {
  if (typed.length > TYPED_LENGTH_MAX) return Number.POSITIVE_INFINITY;
  let rowBeforePrevious: readonly number[] = [];
  let previousRow: readonly number[] = Array.from({ length: word.length + 1 }, (_, index) => index);
  for (let row = 1; row <= typed.length; row += 1) {
    const currentRow = [row];
    for (let column = 1; column <= word.length; column += 1) {
      const isSame = typed[row - 1] === word[column - 1];
      const isSwap = typed[row - 1] === word[column - 2] && typed[row - 2] === word[column - 1];
      currentRow.push(
        Math.min(
          (previousRow[column] ?? 0) + 1,
          (currentRow[column - 1] ?? 0) + 1,
          (previousRow[column - 1] ?? 0) + (isSame ? 0 : 1),
          row > 1 && column > 1 && isSwap
            ? (rowBeforePrevious[column - 2] ?? 0) + 1
            : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rowBeforePrevious = previousRow;
    previousRow = currentRow;
  }
  return previousRow[word.length] ?? 0;
}
