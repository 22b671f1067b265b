/**
 * Our packages that are in npm's registry, by name: none yet. Until a name is ours, whoever takes it would run their code on the
 * machine of everybody who follows our pages, so no page may tell to install it from there.
 */
export const PUBLISHED: ReadonlySet<string> = new Set<string>();

/** A command that gets packages by name, with the rest of its line. */
const FETCH =
  /\b(?:npx|bunx|(?:pnpm|yarn|bun|deno|npm) +(?:--?[\w-]+(?:=\S+)? +)*(?:add|create|dlx|exec|i|init|install|x))(?=\s)(?<words>[^\n|;&`]*)/gu;
/** A module that is loaded by the name of its package. */
const LOAD =
  /(?:\b(?:npm|jsr):|\b(?:esm\.sh|unpkg\.com|cdn\.jsdelivr\.net\/npm|registry\.npmjs\.org)\/)(?<name>@tocsin\/[\w-]+|tocsin\b)/gu;
const OURS = /^(?:--package=)?(?<name>@tocsin\/[\w-]+|tocsin)(?:@\S*)?$/u;

/** Returns what is wrong with the ways to get our packages that a text names, each with the line where it is. */
export function wrongInstalls(
  text: string,
  published: ReadonlySet<string> = PUBLISHED,
): readonly { readonly line: number; readonly problem: string }[] {
  const fetched = [...text.replaceAll("\\\n", "  ").matchAll(FETCH)].flatMap(({ index, groups }) =>
    namesIn(groups?.["words"] ?? "").map((name) => ({ index, name })),
  );
  const loaded = [...text.matchAll(LOAD)].map(({ index, groups }) => ({
    index,
    name: groups?.["name"] ?? "",
  }));
  return [...fetched, ...loaded]
    .filter(({ name }) => !published.has(name))
    .map(({ index, name }) => ({
      line: text.slice(0, index).split("\n").length,
      problem: `${name} is not published: say how it runs from a checkout, or from the file of a release`,
    }));
}

function namesIn(words: string): readonly string[] {
  return words
    .split(/[\s"']+/u)
    .map((word) => OURS.exec(word)?.groups?.["name"])
    .filter((name) => name !== undefined);
}
