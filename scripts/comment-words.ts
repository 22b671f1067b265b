import type { Comment, Source, Title } from "./source.ts";

const OPENING = /^(?:What|Who|Whoever|Whose|Whatever|Those)\b/u;
/** A title is the end of a sentence that begins with "test". */
const TITLE_OPENING = new RegExp(OPENING.source, "iu");

/** A word of ours for which the field has one, so that readers need not learn ours. */
interface Replaced {
  /** Matched against words in lower case: names of code are taken apart at their humps. */
  readonly was: RegExp;
  readonly is: string;
  /** The folder in which it has that meaning. */
  readonly under: string;
  /** Not looked for in comments, where it is plain English. */
  readonly onlyNames?: true;
}

const REPLACED: readonly Replaced[] = [
  { was: /\bcomebacks?\b/u, is: "recovery", under: "server/" },
  { was: /\bnudg(?:e|es|ed|ing)\b/u, is: "half-open probe", under: "server/" },
  { was: /\bcrowds?\b/u, is: "bulk", under: "server/" },
  { was: /\bvery many\b/u, is: "bulk", under: "server/" },
  { was: /\bdue horizons?\b/u, is: "claim low-water mark", under: "server/" },
  { was: /\bspare memory\b/u, is: "idle memory", under: "server/" },
  { was: /\bsecret links?\b/u, is: "console link", under: "server/" },
  { was: /\bset back\b/u, is: "clock rollback", under: "server/", onlyNames: true },
  { was: /\blook(?:s|ed|ing)? again\b/u, is: "reconcile", under: "server/", onlyNames: true },
  { was: /\bsort(?:s|ed|ing)? out\b/u, is: "triage", under: "server/", onlyNames: true },
];

/** Returns one line per comment and title of a test that begins with a pronoun, and per word that the field has another one for. */
export function wrongWords(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => [...openingsIn(source), ...replacedIn(source)]);
}

/** Returns the comments whose first word is a pronoun in the place of a subject. */
export function pronounOpenings({ comments }: Source): readonly Comment[] {
  return comments.filter(({ text }) => OPENING.test(text));
}

function openingsIn(source: Source): readonly string[] {
  const { path, titles } = source;
  const said = (passages: readonly (Comment | Title)[], instead: string) =>
    passages.map(
      ({ text, line }) => `${path}:${line} begins with "${text.split(" ")[0]}": ${instead}`,
    );
  return [
    ...said(pronounOpenings(source), 'name the subject, or say what it does ("Returns …")'),
    ...said(
      titles.filter(({ text }) => TITLE_OPENING.test(text)),
      'name the subject of the title ("a person who …")',
    ),
  ];
}

function replacedIn({ path, comments, names }: Source): readonly string[] {
  const spoken = comments.map(({ text, line }) => ({ words: inWords(text), line }));
  // Tables, columns and indexes keep their names.
  const named = names
    .filter(({ name }) => !/[a-z]_/u.test(name))
    .map(({ name, line }) => ({ words: inWords(name), line }));
  const file = { words: inWords(path.slice(path.lastIndexOf("/"))), line: 1 };
  return REPLACED.filter(({ under }) => path.startsWith(under)).flatMap(({ was, is, onlyNames }) =>
    [file, ...named, ...(onlyNames === true ? [] : spoken)].flatMap(({ words, line }) => {
      const [found] = was.exec(words) ?? [];
      return found === undefined ? [] : [`${path}:${line} says "${found}": the field says ${is}`];
    }),
  );
}

/** Returns `lookAgain`, `LOOK_AGAIN` and `look-again` as the words `look again`. */
function inWords(text: string): string {
  return text
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, " ")
    .replaceAll(/[^\p{L}\d]+/gu, " ")
    .toLowerCase();
}
