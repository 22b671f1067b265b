import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, listSourceFiles } from "../../scripts/files.ts";

/** A Markdown file of the repository that is a page of the site. */
export interface Page {
  /** The path from the root of the repository. */
  readonly source: string;
  /** The path on the site, such as `recipes/cron.md`. */
  readonly target: string;
  /** The title in the sidebar. */
  readonly title: string;
}

/** A titled part of the sidebar, with links to its pages. */
export interface SidebarGroup {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: { readonly text: string; readonly link: string }[];
}

/** The sidebar in order. A missing file is skipped; a folder stands for all its pages. */
const SIDEBAR: Readonly<Record<string, readonly string[]>> = {
  Begin: ["docs/start.md", "docs/concepts.md", "docs/iphone.md"],
  Send: [
    "docs/api.md",
    "docs/callbacks.md",
    "docs/command-line.md",
    "docs/ntfy-and-gotify.md",
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

/** The group of pages without a position, so that they are noticed and sorted in. */
const OTHER_GROUP = "More";

/** The site paths of files outside `docs/`. */
const SITE_PATHS: Readonly<Record<string, string>> = {
  "sdk/README.md": "sdk.md",
  "action/README.md": "github-action.md",
  "ARCHITECTURE.md": "architecture.md",
  "CONTRIBUTING.md": "contributing.md",
  "STYLE.md": "style.md",
  "SECURITY.md": "security-policy.md",
};

/** Sidebar titles for pages with a heading that is too long or unclear out of context. */
const SIDEBAR_TITLES: Readonly<Record<string, string>> = {
  "SECURITY.md": "Report a vulnerability",
  "docs/recipes/index.md": "All recipes",
  "docs/native-apps.md": "Native apps",
  "docs/performance.md": "Performance",
  "docs/promises.md": "Promises",
  "sdk/README.md": "The SDK",
  "action/README.md": "GitHub Action",
};

const FRONT_PAGE = "docs/index.md";

const files = listSourceFiles();

/** All pages, in the order of their paths. */
export const PAGES: readonly Page[] = files.filter(isPage).map((source) => ({
  source,
  target: toSitePath(source),
  title: SIDEBAR_TITLES[source] ?? readTitle(readFileSync(join(ROOT, source), "utf8")) ?? source,
}));

/** Markdown files that are not pages. */
export const NON_PAGES: readonly string[] = files.filter(
  (file) => file.endsWith(".md") && !isPage(file),
);

/** Returns the site path of a page, by its path in the repository. */
export function toSitePath(source: string): string {
  const entry = SITE_PATHS[source] ?? source.replace(/^docs\//u, "");
  return entry.replace(/(^|\/)README\.md$/u, "$1index.md");
}

/** Returns the site path of a link's target; null if there is no such file. */
export function findSiteTarget(
  path: string,
): { readonly kind: "page" | "file"; to: string } | null {
  if (path === "README.md") return { kind: "page", to: "/" };
  const page = PAGES.find(({ source }) => source === path);
  if (page !== undefined) return { kind: "page", to: `/${page.target}` };
  return listFilesAt(path).length > 0 ? { kind: "file", to: `/repository/${path}.txt` } : null;
}

/** Returns the file at a path, or all files of the folder at it; none if there is neither. */
export function listFilesAt(path: string): readonly string[] {
  const folder = path.endsWith("/") ? path : `${path}/`;
  return files.filter((file) => file === path || file.startsWith(folder));
}

/** Returns the sidebar, which contains every page except the front page once. */
export function createSidebar(): SidebarGroup[] {
  const remaining = new Set(PAGES.filter(({ source }) => source !== FRONT_PAGE));
  const groups = Object.entries(SIDEBAR).map(([text, entries]) => {
    const pages = entries.flatMap((entry) =>
      [...remaining].filter(({ source }) => matchesEntry(source, entry)).toSorted(byTitle),
    );
    for (const page of pages) remaining.delete(page);
    return { text, items: pages.map(toItem) };
  });
  groups.push({ text: OTHER_GROUP, items: [...remaining].map(toItem) });
  return groups.filter(({ items }) => items.length > 0);
}

function isPage(file: string): boolean {
  return file in SITE_PATHS || (file.startsWith("docs/") && file.endsWith(".md"));
}

function matchesEntry(source: string, entry: string): boolean {
  return entry.endsWith("/") ? source.startsWith(entry) : source === entry;
}

/** Compares two pages by title; the index of a folder comes first. */
function byTitle(first: Page, second: Page): number {
  const isIndex = ({ target }: Page) => Number(target.endsWith("/index.md"));
  const order = isIndex(second) - isIndex(first);
  return order === 0 ? first.title.localeCompare(second.title, "en") : order;
}

function toItem({ target, title }: Page) {
  return { text: title, link: `/${target}` };
}

/** Returns the title in the front matter, else the first heading. */
function readTitle(markdown: string): string | null {
  const [, frontMatter = ""] = /^---\n([^]*?)\n---\n/u.exec(markdown) ?? [];
  const [, declaredTitle] = /^title: *"?(.+?)"? *$/mu.exec(frontMatter) ?? [];
  const [, heading] = /^# +(.+?) *#*$/mu.exec(markdown) ?? [];
  return (declaredTitle ?? heading)?.replaceAll("`", "") ?? null;
}
