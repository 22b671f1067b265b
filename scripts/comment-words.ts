import type { Comment, Source, Title } from "./source.ts";

const OPENING = /^(?:What|Who|Whoever|Whose|Whatever|Those)\b/u;
/** A title continues the call `test(`, so it may begin in lower case. */
const TITLE_OPENING = new RegExp(OPENING.source, "iu");

/** A private word with a standard replacement, so that readers need not learn the private one. */
interface ReplacedWord {
  /** Matches lower-case words; identifiers are split at their humps before. */
  readonly was: RegExp;
  readonly is: string;
  /** The folder in which the word has that meaning. */
  readonly folder: string;
  /** Ignored in comments, where the word is plain English. */
  readonly onlyNames?: true;
}

const REPLACED: readonly ReplacedWord[] = [
  { was: /\bcomebacks?\b/u, is: "recovery", folder: "server/" },
  { was: /\bnudg(?:e|es|ed|ing)\b/u, is: "half-open probe", folder: "server/" },
  { was: /\bcrowds?\b/u, is: "bulk", folder: "server/" },
  { was: /\bvery many\b/u, is: "bulk", folder: "server/" },
  { was: /\bdue horizons?\b/u, is: "claim low-water mark", folder: "server/" },
  { was: /\bspare memory\b/u, is: "idle memory", folder: "server/" },
  { was: /\bsecret links?\b/u, is: "console link", folder: "server/" },
  { was: /\bset back\b/u, is: "clock rollback", folder: "server/", onlyNames: true },
  { was: /\blook(?:s|ed|ing)? again\b/u, is: "reconcile", folder: "server/", onlyNames: true },
  { was: /\bsort(?:s|ed|ing)? out\b/u, is: "triage", folder: "server/", onlyNames: true },
];

/** Returns one line per comment or test title that begins with a pronoun, and per word with a standard replacement. */
export function wordProblems(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => [...openingProblems(source), ...replacedWordProblems(source)]);
}

/** Returns the comments that begin with a pronoun instead of a subject. */
export function pronounOpenings({ comments }: Source): readonly Comment[] {
  return comments.filter(({ text }) => OPENING.test(text));
}

function openingProblems(source: Source): readonly string[] {
  const { path, titles } = source;
  const report = (passages: readonly (Comment | Title)[], instead: string) =>
    passages.map(
      ({ text, line }) => `${path}:${line} begins with "${text.split(" ")[0]}": ${instead}`,
    );
  return [
    ...report(pronounOpenings(source), 'name the subject, or say what it does ("Returns …")'),
    ...report(
      titles.filter(({ text }) => TITLE_OPENING.test(text)),
      'name the subject of the title ("a person who …")',
    ),
  ];
}

function replacedWordProblems({ path, comments, names }: Source): readonly string[] {
  const commentWords = comments.map(({ text, line }) => ({ words: toWords(text), line }));
  // Names of tables, columns and indexes are fixed.
  const nameWords = names
    .filter(({ name }) => !/[a-z]_/u.test(name))
    .map(({ name, line }) => ({ words: toWords(name), line }));
  const file = { words: toWords(path.slice(path.lastIndexOf("/"))), line: 1 };
  return REPLACED.filter(({ folder }) => path.startsWith(folder)).flatMap(
    ({ was, is, onlyNames }) =>
      [file, ...nameWords, ...(onlyNames === true ? [] : commentWords)].flatMap(
        ({ words, line }) => {
          const [found] = was.exec(words) ?? [];
          return found === undefined
            ? []
            : [`${path}:${line} says "${found}": the field says ${is}`];
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
