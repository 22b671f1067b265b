import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, sourceFiles } from "../../scripts/files.ts";

/** A Markdown file of the repository that is a page of the site. */
export interface Page {
  /** Path from the root of the repository. */
  readonly source: string;
  /** Path on the site, as in `recipes/cron.md`. */
  readonly target: string;
  /** The title in the sidebar. */
  readonly title: string;
}

export interface SidebarGroup {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: { readonly text: string; readonly link: string }[];
}

/** The sidebar in its order: a file that is not there is left out, and a folder gives all its pages. */
const SIDEBAR: Readonly<Record<string, readonly string[]>> = {
  Begin: ["docs/start.md", "docs/concepts.md", "docs/iphone.md"],
  Send: [
    "docs/api.md",
    "docs/command-line.md",
    "docs/coming-from.md",
    "sdk/README.md",
    "action/README.md",
    "docs/examples/",
  ],
  Recipes: ["docs/recipes/"],
  Run: [
    "docs/running.md",
    "docs/configuration.md",
    "docs/reverse-proxy.md",
    "docs/monitoring.md",
    "docs/upgrade.md",
    "docs/backup.md",
    "docs/running-many-nodes.md",
    "docs/native-apps.md",
  ],
  Trust: [
    "docs/promises.md",
    "docs/performance.md",
    "docs/security.md",
    "docs/secrets-at-rest.md",
    "docs/privacy.md",
    "SECURITY.md",
  ],
  Inside: ["ARCHITECTURE.md", "docs/architecture/", "CONTRIBUTING.md", "STYLE.md"],
};

/** Pages that nobody gave a place: they are shown, so that somebody does. */
const ELSEWHERE = "More";

/** Where files stand that are not in `docs/`. */
const PLACES: Readonly<Record<string, string>> = {
  "sdk/README.md": "sdk.md",
  "action/README.md": "github-action.md",
  "ARCHITECTURE.md": "architecture.md",
  "CONTRIBUTING.md": "contributing.md",
  "STYLE.md": "style.md",
  "SECURITY.md": "security-policy.md",
};

/** Titles in the sidebar where the heading is too long for it, or unclear out of context. */
const TITLES: Readonly<Record<string, string>> = {
  "SECURITY.md": "Report a vulnerability",
  "docs/recipes/index.md": "All recipes",
  "docs/native-apps.md": "Native apps",
  "docs/performance.md": "Performance",
  "docs/promises.md": "Promises",
  "sdk/README.md": "The SDK",
  "action/README.md": "GitHub Action",
};

const FRONT_PAGE = "docs/index.md";

const files = sourceFiles();

/** All pages, in the order of their paths. */
export const PAGES: readonly Page[] = files.filter(isPage).map((source) => ({
  source,
  target: targetOf(source),
  title: TITLES[source] ?? titleOf(readFileSync(join(ROOT, source), "utf8")) ?? source,
}));

/** Markdown files that are not pages. */
export const OTHERS: readonly string[] = files.filter(
  (file) => file.endsWith(".md") && !isPage(file),
);

/** Returns the path on the site of a page, by its path in the repository. */
export function targetOf(source: string): string {
  const place = PLACES[source] ?? source.replace(/^docs\//u, "");
  return place.replace(/(^|\/)README\.md$/u, "$1index.md");
}

/** Returns the address of what a link in a page leads to; null where nothing is there. */
export function addressOf(path: string): { readonly kind: "page" | "file"; to: string } | null {
  if (path === "README.md") return { kind: "page", to: "/" };
  const page = PAGES.find(({ source }) => source === path);
  if (page !== undefined) return { kind: "page", to: `/${page.target}` };
  return filesAt(path).length > 0 ? { kind: "file", to: `/repository/${path}.txt` } : null;
}

/** Returns a file of the repository, or all files of a folder. */
export function filesAt(path: string): readonly string[] {
  const folder = path.endsWith("/") ? path : `${path}/`;
  return files.filter((file) => file === path || file.startsWith(folder));
}

/** Returns the sidebar: each page has one place in it, but the front page. */
export function sidebar(): SidebarGroup[] {
  const left = new Set(PAGES.filter(({ source }) => source !== FRONT_PAGE));
  const groups = Object.entries(SIDEBAR).map(([text, places]) => {
    const pages = places.flatMap((place) =>
      [...left].filter(({ source }) => isAt(source, place)).toSorted(byTitle),
    );
    for (const page of pages) left.delete(page);
    return { text, items: pages.map(itemOf) };
  });
  groups.push({ text: ELSEWHERE, items: [...left].map(itemOf) });
  return groups.filter(({ items }) => items.length > 0);
}

function isPage(file: string): boolean {
  return file in PLACES || (file.startsWith("docs/") && file.endsWith(".md"));
}

function isAt(source: string, place: string): boolean {
  return place.endsWith("/") ? source.startsWith(place) : source === place;
}

/** The index of a folder comes first. */
function byTitle(one: Page, other: Page): number {
  const isIndex = ({ target }: Page) => Number(target.endsWith("/index.md"));
  const order = isIndex(other) - isIndex(one);
  return order === 0 ? one.title.localeCompare(other.title, "en") : order;
}

function itemOf({ target, title }: Page) {
  return { text: title, link: `/${target}` };
}

/** Front matter comes before the first heading. */
function titleOf(markdown: string): string | null {
  const [, matter = ""] = /^---\n([^]*?)\n---\n/u.exec(markdown) ?? [];
  const [, named] = /^title: *"?(.+?)"? *$/mu.exec(matter) ?? [];
  const [, heading] = /^# +(.+?) *#*$/mu.exec(markdown) ?? [];
  return (named ?? heading)?.replaceAll("`", "") ?? null;
}
