import { posix, relative, sep } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { ROOT } from "../../scripts/files.ts";
import { addressOf } from "./pages.ts";

/** Files and folders of the repository that pages lead to, by their paths: the site brings them along as text. */
export const linkedFiles = new Set<string>();

/** Teaches the renderer what the pages need beyond Markdown as git hosts show it. */
export function extendMarkdown(md: MarkdownRenderer): void {
  md.core.ruler.before("normalize", "tabs", (state) => {
    state.src = withTabs(state.src);
  });
  md.core.ruler.push("repository-links", (state) => {
    // VitePress sets both; the first is where the text stands, also where its address is another.
    const env = state.env as { readonly realPath?: string; readonly path?: string };
    const source = relative(ROOT, env.realPath ?? env.path ?? "").replaceAll(sep, "/");
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        // The pages are Markdown alone: braces in them are text.
        if (token.type === "code_inline") token.attrSet("v-pre", "");
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        if (href !== null) token.attrSet("href", hrefOnSite(String(href), source));
      }
    }
  });
}

const FENCE = "^```[a-z]+ \\[[^\\]\\n]+\\][^\\n]*\\n[^]*?\\n```\\n";

/**
 * Returns a text in which fences with a title, such as ```` ```sh [curl] ````, become tabs where they follow each other:
 * on a git host they stand below each other.
 */
export function withTabs(markdown: string): string {
  const runs = new RegExp(`(?:${FENCE}\\n*){2,}`, "gmu");
  return markdown.replaceAll(runs, (run) => `::: code-group\n${run.trimEnd()}\n:::\n\n`);
}

/** Returns where a link of a page leads on the site; its own form where the site does not know better. */
function hrefOnSite(href: string, source: string): string {
  if (/^(?:[a-z][a-z+.-]*:|\/|#)/iu.test(href)) return href;
  const [path = "", heading] = href.split("#");
  const joined = posix.join(posix.dirname(source), decodeURIComponent(path));
  const file = joined.replace(/\/$/u, "");
  const address = addressOf(file);
  if (address === null) return href;
  if (address.kind === "file") linkedFiles.add(file);
  return heading === undefined ? address.to : `${address.to}#${heading}`;
}
