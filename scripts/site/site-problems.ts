import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** A link or embedded file in a page. */
interface Reference {
  /** The path of the page in the site. */
  readonly page: string;
  readonly tag: string;
  readonly url: string;
}

/** Elements whose URL a browser fetches automatically. */
const FETCHED = new Set(["script", "link", "img", "source", "iframe", "video", "audio", "use"]);

const EXTERNAL = /^(?:[a-z][a-z+.-]*:)?\/\//iu;
const OPAQUE = /^(?:data|mailto|tel|javascript|about):/iu;

/**
 * Returns one line per broken link of a built site (to a page, heading or file), and per picture, style, script or font
 * from another host.
 */
export function siteProblems(folder: string, base: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const pages = files.filter((path) => path.endsWith(".html"));
  const html = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  const references = [...html].flatMap(([page, text]) => parseReferences(page, text));
  const styles = files.filter((path) => path.endsWith(".css"));
  return [
    ...references.filter(isExternal).map(({ page, tag, url }) => `${page}: <${tag}> loads ${url}`),
    ...styles.flatMap((path) => externalStyles(path, readFileSync(join(folder, path), "utf8"))),
    ...references
      .filter(({ url }) => !EXTERNAL.test(url) && !OPAQUE.test(url))
      .filter((reference) => !resolves(reference, { folder, base, html }))
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
  return FETCHED.has(tag) && EXTERNAL.test(url);
}

function externalStyles(path: string, text: string): readonly string[] {
  const urls = text.matchAll(/(?:url\(|@import\s)\s*["']?((?:https?:)?\/\/[^"')\s]+)/giu);
  return [...urls].map(([, url = ""]) => `${path} loads ${url}`);
}

interface Site {
  readonly folder: string;
  readonly base: string;
  readonly html: ReadonlyMap<string, string>;
}

function resolves({ page, url }: Reference, { folder, base, html }: Site): boolean {
  const [path = "", heading = ""] = decodeURI(url).split("#");
  const file = path === "" ? page : toSitePath(path.split("?")[0] ?? "", { page, base });
  if (file === null) return false;
  const target = file === "" || file.endsWith("/") ? `${file}index.html` : file;
  const text = html.get(target);
  if (text === undefined) return isFile(join(folder, target));
  return heading === "" || text.includes(`id="${heading}"`);
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
