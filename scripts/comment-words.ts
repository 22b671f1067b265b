import type { Comment, Source, TestTitle } from "./source.ts";

const PRONOUN_OPENING = /^(?:What|Who|Whoever|Whose|Whatever|Those)\b/u;
/** A title continues the call `test(`, so it may begin in lower case. */
const TITLE_PRONOUN_OPENING = new RegExp(PRONOUN_OPENING.source, "iu");

/** A word of our own for which the field has a standard one, so that readers need not learn ours. */
interface ReplacedWord {
  /** Matches lower-case words. Identifiers are split into words before. */
  readonly pattern: RegExp;
  /** The standard word. */
  readonly replacement: string;
  /** The folder in which the word has that meaning. */
  readonly folder: string;
  /** True for a word that is plain English in comments. */
  readonly onlyNames?: true;
}

const REPLACED_WORDS: readonly ReplacedWord[] = [
  { pattern: /\be mails?\b/u, replacement: "email", folder: "" },
  { pattern: /\bcomebacks?\b/u, replacement: "recovery", folder: "server/" },
  { pattern: /\bnudg(?:e|es|ed|ing)\b/u, replacement: "half-open probe", folder: "server/" },
  { pattern: /\bcrowds?\b/u, replacement: "bulk", folder: "server/" },
  { pattern: /\bvery many\b/u, replacement: "bulk", folder: "server/" },
  { pattern: /\bdue horizons?\b/u, replacement: "claim low-water mark", folder: "server/" },
  { pattern: /\bspare memory\b/u, replacement: "idle memory", folder: "server/" },
  { pattern: /\bsecret links?\b/u, replacement: "console link", folder: "server/" },
  { pattern: /\bset back\b/u, replacement: "clock rollback", folder: "server/", onlyNames: true },
  {
    pattern: /\blook(?:s|ed|ing)? again\b/u,
    replacement: "reconcile",
    folder: "server/",
    onlyNames: true,
  },
  {
    pattern: /\bsort(?:s|ed|ing)? out\b/u,
    replacement: "triage",
    folder: "server/",
    onlyNames: true,
  },
];

/** Returns one line per comment or test title that begins with a pronoun, and per word with a standard replacement. */
export function findWordProblems(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => [
    ...findOpeningProblems(source),
    ...findReplacedWordProblems(source),
  ]);
}

/** Returns the comments that begin with a pronoun instead of a subject. */
export function findPronounOpenings({ comments }: Source): readonly Comment[] {
  return comments.filter(({ text }) => PRONOUN_OPENING.test(text));
}

function findOpeningProblems(source: Source): readonly string[] {
  const { path, titles } = source;
  const report = (passages: readonly (Comment | TestTitle)[], instead: string) =>
    passages.map(
      ({ text, line }) => `${path}:${line} begins with "${text.split(" ")[0]}": ${instead}`,
    );
  return [
    ...report(findPronounOpenings(source), 'name the subject, or say what it does ("Returns …")'),
    ...report(
      titles.filter(({ text }) => TITLE_PRONOUN_OPENING.test(text)),
      'name the subject of the title ("a person who …")',
    ),
  ];
}

function findReplacedWordProblems({ path, comments, names }: Source): readonly string[] {
  const commentWords = comments.map(({ text, line }) => ({ words: toWords(text), line }));
  // Names of tables, columns and indexes are fixed.
  const nameWords = names
    .filter(({ name }) => !/[a-z]_/u.test(name))
    .map(({ name, line }) => ({ words: toWords(name), line }));
  const file = { words: toWords(path.slice(path.lastIndexOf("/"))), line: 1 };
  return REPLACED_WORDS.filter(({ folder }) => path.startsWith(folder)).flatMap(
    ({ pattern, replacement, onlyNames }) =>
      [file, ...nameWords, ...(onlyNames === true ? [] : commentWords)].flatMap(
        ({ words, line }) => {
          const [foundWord] = pattern.exec(words) ?? [];
          return foundWord === undefined
            ? []
            : [`${path}:${line} says "${foundWord}": write "${replacement}"`];
        },
      ),
  );
}

/** Returns `lookAgain`, `LOOK_AGAIN` and `look-again` as the words `look again`. */
function toWords(text: string): string {
  return text
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, " ")
    .replaceAll(/[^\p{L}\d]+/gu, " ")
    .toLowerCase();
}
