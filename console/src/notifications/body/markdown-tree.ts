import MarkdownIt, { type Token } from "markdown-it";
import { linkWay } from "@tocsin/sdk";

/** A node of a text: what markdown-it opens and closes, with what stands between. */
export interface Node {
  readonly token: Token;
  readonly children: readonly Node[];
}

/** A browser draws what nests deeper than this badly, or not at all. */
const DEPTH_MAX = 24;

/** HTML is text, a line break is one, and only addresses that say so are links. */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (address) => linkWay(address) !== "never";

/** Returns what a Markdown text consists of. */
export function treeOf(text: string): readonly Node[] {
  return nodesOf(markdown.parse(text, {}), 0);
}

/** Returns the words of a Markdown text in one line, for where there is room for no more. */
export function wordsOf(text: string): string {
  const words = treeOf(text).map(textOf).join("").replaceAll(/\s+/gu, " ").trim();
  return words === "" ? text : words;
}

/** Returns the words of a node. */
export function textOf({ token, children }: Node): string {
  if (token.type === "softbreak" || token.type === "hardbreak") return "\n";
  const isLeaf = token.type === "text" || token.type.startsWith("code") || token.type === "fence";
  const inside = isLeaf ? token.content : children.map(textOf).join("");
  return token.block ? ` ${inside} ` : inside;
}

interface OpenNode {
  readonly token: Token;
  readonly children: Node[];
}

/** What nests too deep stands beside what it would stand in. */
function nodesOf(tokens: readonly Token[], depth: number): readonly Node[] {
  const roots: Node[] = [];
  const open: OpenNode[] = [];
  let tooDeep = 0;
  for (const token of tokens) {
    const place = open.at(-1)?.children ?? roots;
    if (token.nesting === -1) {
      if (tooDeep > 0) tooDeep -= 1;
      else open.pop();
    } else if (token.type === "inline") {
      place.push(...nodesOf(token.children ?? [], depth + open.length));
    } else if (token.nesting === 0) {
      place.push({ token, children: nodesOf(token.children ?? [], DEPTH_MAX) });
    } else if (depth + open.length >= DEPTH_MAX) {
      tooDeep += 1;
    } else {
      const node = { token, children: [] };
      place.push(node);
      open.push(node);
    }
  }
  return roots;
}
