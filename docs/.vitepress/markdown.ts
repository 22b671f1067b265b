import { posix, relative, sep } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { ROOT } from "../../scripts/files.ts";
import { findSiteTarget } from "./pages.ts";

/** The paths of repository files and folders that pages link to; the site contains them as text. */
export const linkedFiles = new Set<string>();

/** Extends the renderer with tabs, literal braces and links to repository files. */
export function extendMarkdown(md: MarkdownRenderer): void {
  md.core.ruler.before("normalize", "tabs", (state) => {
    state.src = groupTabs(state.src);
  });
  md.core.ruler.push("repository-links", (state) => {
    // VitePress sets both. `realPath` is the source file, even if the page has another URL.
    const env = state.env as { readonly realPath?: string; readonly path?: string };
    const source = relative(ROOT, env.realPath ?? env.path ?? "").replaceAll(sep, "/");
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        // The pages are plain Markdown, so braces in them are text.
        if (token.type === "code_inline") token.attrSet("v-pre", "");
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        if (href !== null) token.attrSet("href", toSiteHref(String(href), source));
      }
    }
  });
}

const FENCE = "^```[a-z]+ \\[[^\\]\\n]+\\][^\\n]*\\n[^]*?\\n```\\n";

/**
 * Returns the Markdown with consecutive titled fences, such as ```` ```sh [curl] ````, grouped as tabs. A git host shows
 * them one below the other.
 */
export function groupTabs(markdown: string): string {
  const runs = new RegExp(`(?:${FENCE}\\n*){2,}`, "gmu");
  return markdown.replaceAll(runs, (run) => `::: code-group\n${run.trimEnd()}\n:::\n\n`);
}

/** Returns the target of a page's link on the site; links that the site does not rewrite stay unchanged. */
function toSiteHref(href: string, source: string): string {
  if (/^(?:[a-z][a-z+.-]*:|\/|#)/iu.test(href)) return href;
  const [path = "", heading] = href.split("#");
  const joined = posix.join(posix.dirname(source), decodeURIComponent(path));
  const file = joined.replace(/\/$/u, "");
  const target = findSiteTarget(file);
  if (target === null) return href;
  if (target.kind === "file") linkedFiles.add(file);
  return heading === undefined ? target.to : `${target.to}#${heading}`;
}
