import { posix } from "node:path";

/** Reads a file of the repository by its path from the root. */
export type ReadText = (path: string) => string;

const STANDARD_DOCUMENTS = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "STYLE.md",
  "LICENSE",
] as const;

/** Joined from parts, so that `findMachinePaths` does not find it in this file. */
const MACHINE_FOLDER = ["", "work", ""].join("/");

/** Returns one line per missing standard document. */
export function findMissingDocuments(files: readonly string[]): readonly string[] {
  return STANDARD_DOCUMENTS.filter((path) => !files.includes(path)).map(
    (path) => `${path} is missing.`,
  );
}

/** Returns one line per line that contains a folder of a developer's machine. */
export function findMachinePaths(files: readonly string[], read: ReadText): readonly string[] {
  return files.flatMap((path) =>
    read(path)
      .split("\n")
      .flatMap((line, index) =>
        line.includes(MACHINE_FOLDER) ? [`${path}:${index + 1} names ${MACHINE_FOLDER}`] : [],
      ),
  );
}

/** Returns one line per link from a Markdown file to a missing file or heading. */
export function findBrokenLinks(files: readonly string[], read: ReadText): readonly string[] {
  return files
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) =>
      parseLinks(read(path))
        .filter((link) => !leadsSomewhere({ files, read, path, link }))
        .map((link) => `${path}: nothing is at ${link}`),
    );
}

/** A link in a Markdown file, and the repository in which it must lead somewhere. */
interface LinkInRepository {
  readonly files: readonly string[];
  readonly read: ReadText;
  readonly path: string;
  readonly link: string;
}

function leadsSomewhere({ files, read, path, link }: LinkInRepository): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? path : posix.join(posix.dirname(path), decodeURIComponent(file));
  if (!files.includes(target)) {
    const folder = target.endsWith("/") ? target : `${target}/`;
    return anchor === undefined && files.some((candidate) => candidate.startsWith(folder));
  }
  if (anchor === undefined || !target.endsWith(".md")) return true;
  return parseAnchors(read(target)).includes(anchor);
}

/**
 * Returns the relative links of a Markdown text. Links to other sites are not checked, because that would need the
 * network.
 */
function parseLinks(markdown: string): readonly string[] {
  const links = removeCode(markdown).matchAll(/\]\(<?([^)\s>]+)>?(?:\s[^)]*)?\)/gu);
  return [...links].map(([, link = ""]) => link).filter((link) => !/^(?:[a-z]+:|\/)/iu.test(link));
}

/** Returns heading anchors as GitHub builds them: lower case, no punctuation, hyphens for spaces. */
function parseAnchors(markdown: string): readonly string[] {
  const headings = removeCodeBlocks(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gmu);
  return [...headings].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function removeCode(markdown: string): string {
  return removeCodeBlocks(markdown).replaceAll(/`[^`\n]*`/gu, "");
}

function removeCodeBlocks(markdown: string): string {
  return markdown.replaceAll(/^ *(`{3,}|~{3,})[\s\S]*?^ *\1/gmu, "");
}
