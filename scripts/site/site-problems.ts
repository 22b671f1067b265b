import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** A link or embedded file in a page. */
interface Reference {
  /** The path of the page in the site. */
  readonly page: string;
  readonly tag: string;
  readonly url: string;
}

/** The elements whose URL a browser fetches automatically. */
const FETCHED_ELEMENTS = new Set([
  "script",
  "link",
  "img",
  "source",
  "iframe",
  "video",
  "audio",
  "use",
]);

const EXTERNAL_URL = /^(?:[a-z][a-z+.-]*:)?\/\//iu;
const OPAQUE_URL = /^(?:data|mailto|tel|javascript|about):/iu;

/**
 * Returns one line per broken link of a built site (to a page, heading or file), and per picture, style, script or font
 * from another host.
 */
export function findSiteProblems(folder: string, base: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const pages = files.filter((path) => path.endsWith(".html"));
  const htmlByPage = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  const references = [...htmlByPage].flatMap(([page, text]) => parseReferences(page, text));
  const styles = files.filter((path) => path.endsWith(".css"));
  return [
    ...references.filter(isExternal).map(({ page, tag, url }) => `${page}: <${tag}> loads ${url}`),
    ...styles.flatMap((path) => findExternalStyles(path, readFileSync(join(folder, path), "utf8"))),
    ...references
      .filter(({ url }) => !EXTERNAL_URL.test(url) && !OPAQUE_URL.test(url))
      .filter((reference) => !leadsSomewhere(reference, { folder, base, htmlByPage }))
      .map(({ page, url }) => `${page}: nothing is at ${url}`),
  ];
}

function parseReferences(page: string, text: string): readonly Reference[] {
  const tags = text.matchAll(/<([a-z][a-z0-9-]*)\b([^>]*)>/giu);
  return [...tags].flatMap(([, tag = "", attributes = ""]) =>
    [...attributes.matchAll(/\s(?:href|src|poster)="([^"]*)"/giu)].map(([, url = ""]) => ({
      page,
      tag: tag.toLowerCase(),
      url: url.replaceAll("&amp;", "&"),
    })),
  );
}

function isExternal({ tag, url }: Reference): boolean {
  return FETCHED_ELEMENTS.has(tag) && EXTERNAL_URL.test(url);
}

function findExternalStyles(path: string, text: string): readonly string[] {
  const urls = text.matchAll(/(?:url\(|@import\s)\s*["']?((?:https?:)?\/\/[^"')\s]+)/giu);
  return [...urls].map(([, url = ""]) => `${path} loads ${url}`);
}

/** The built site, with the HTML of its pages by path. */
interface Site {
  readonly folder: string;
  readonly base: string;
  readonly htmlByPage: ReadonlyMap<string, string>;
}

function leadsSomewhere({ page, url }: Reference, { folder, base, htmlByPage }: Site): boolean {
  const [path = "", anchor = ""] = decodeURI(url).split("#");
  const file = path === "" ? page : toSitePath(path.split("?")[0] ?? "", { page, base });
  if (file === null) return false;
  const target = file === "" || file.endsWith("/") ? `${file}index.html` : file;
  const text = htmlByPage.get(target);
  if (text === undefined) return isFile(join(folder, target));
  return anchor === "" || text.includes(`id="${anchor}"`);
}

/** Returns the path in the site; null if the path is outside the site. */
function toSitePath(
  path: string,
  { page, base }: { readonly page: string; readonly base: string },
) {
  if (!path.startsWith("/")) return posix.join(posix.dirname(page), path);
  return path.startsWith(base) ? path.slice(base.length) : null;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
