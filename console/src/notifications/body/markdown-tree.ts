import MarkdownIt, { type Token } from "markdown-it";
import { linkWay } from "@tocsin/sdk";

/** Node of a text: a markdown-it token, with the nodes up to its closing token. */
export interface Node {
  readonly token: Token;
  readonly children: readonly Node[];
}

/** Deepest nesting that is kept: a browser draws deeper text badly, or not at all. */
const DEPTH_MAX = 24;

/** HTML stays text, line breaks are kept, and only addresses with a scheme become links. */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (address) => linkWay(address) !== "never";

/** Returns the nodes of a Markdown text. */
export function treeOf(text: string): readonly Node[] {
  return nodesOf(markdown.parse(text, {}), 0);
}

/** Returns the words of a Markdown text on one line, for places without room for more. */
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

/** Content beyond the depth limit moves up into the deepest allowed node. */
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
