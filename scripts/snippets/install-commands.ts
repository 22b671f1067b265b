/**
 * The names of Tocsin's packages in npm's registry: none yet. Until a name is registered, an attacker could register it
 * and run code on the machines of users who follow the documentation, so no page may tell users to install it from
 * there.
 */
export const PUBLISHED_PACKAGES: ReadonlySet<string> = new Set<string>();

/** Matches a command that installs packages by name, with the rest of its line. */
const INSTALL_COMMAND =
  /\b(?:npx|bunx|(?:pnpm|yarn|bun|deno|npm) +(?:--?[\w-]+(?:=\S+)? +)*(?:add|create|dlx|exec|i|init|install|x))(?=\s)(?<words>[^\n|;&`]*)/gu;
/** Matches the URL of a module that is loaded by its package name. */
const MODULE_URL =
  /(?:\b(?:npm|jsr):|\b(?:esm\.sh|unpkg\.com|cdn\.jsdelivr\.net\/npm|registry\.npmjs\.org)\/)(?<name>@tocsin\/[\w-]+|tocsin\b)/gu;
const OWN_PACKAGE = /^(?:--package=)?(?<name>@tocsin\/[\w-]+|tocsin)(?:@\S*)?$/u;

/** Returns the problems with installations of Tocsin's packages in a text, each with its line. */
export function findInstallProblems(
  text: string,
  published: ReadonlySet<string> = PUBLISHED_PACKAGES,
): readonly { readonly line: number; readonly problem: string }[] {
  const installed = [...text.replaceAll("\\\n", "  ").matchAll(INSTALL_COMMAND)].flatMap(
    ({ index, groups }) =>
      findOwnPackages(groups?.["words"] ?? "").map((name) => ({ index, name })),
  );
  const loaded = [...text.matchAll(MODULE_URL)].map(({ index, groups }) => ({
    index,
    name: groups?.["name"] ?? "",
  }));
  return [...installed, ...loaded]
    .filter(({ name }) => !published.has(name))
    .map(({ index, name }) => ({
      line: text.slice(0, index).split("\n").length,
      problem: `${name} is not published: say how it runs from a checkout, or from the file of a release`,
    }));
}

function findOwnPackages(words: string): readonly string[] {
  return words
    .split(/[\s"']+/u)
    .map((word) => OWN_PACKAGE.exec(word)?.groups?.["name"])
    .filter((name) => name !== undefined);
}
