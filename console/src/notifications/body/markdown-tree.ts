import MarkdownIt, { type Token } from "markdown-it";
import { decideLinkWay } from "@tocsin/sdk";

/** A node of a Markdown text: a markdown-it token with the nodes up to its closing token. */
export interface MarkdownNode {
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

/** Maximum depth of the nodes. Browsers render deeper elements badly or not at all. */
const DEPTH_MAX = 24;

/** The level from which markdown-it drops all text of quotes and lists. Each list adds two levels. */
const NESTING_MAX = 100;

const markdown = createParser();
/** Leaves quotes and lists as they are, with their markers. */
const markdownWithoutNesting = createParser().disable(["blockquote", "list"]);

/** Parses a Markdown text into nodes. Very deep quotes and lists stay text. */
export function parseMarkdown(text: string): readonly MarkdownNode[] {
  const tokens = markdown.parse(text, {});
  const isTooDeep = tokens.some(({ level }) => level >= NESTING_MAX - 1);
  return buildNodes(isTooDeep ? markdownWithoutNesting.parse(text, {}) : tokens, 0);
}

/**
 * Returns the parser. HTML stays text, line breaks are kept, and only URLs with a scheme become links. The line of a
 * link definition also stays text, because CommonMark would show nothing of it.
 */
function createParser() {
  const parser = new MarkdownIt({
    html: false,
    linkify: true,
    breaks: true,
    maxNesting: NESTING_MAX,
  }).disable("reference");
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  parser.validateLink = (url) => decideLinkWay(url) !== "never";
  return parser;
}

/** Returns a Markdown text on one line, without markup. A text of only markup is unchanged. */
export function toPlainText(text: string): string {
  const plainText = parseMarkdown(text).map(getNodeText).join("").replaceAll(/\s+/gu, " ").trim();
  return plainText === "" ? text : plainText;
}

/** Returns the text of a node, without markup. */
export function getNodeText({ token, children }: MarkdownNode): string {
  if (token.type === "softbreak" || token.type === "hardbreak") return "\n";
  const isLeaf = token.type === "text" || token.type.startsWith("code") || token.type === "fence";
  const content = isLeaf ? token.content : children.map(getNodeText).join("");
  return token.block ? ` ${content} ` : content;
}

interface OpenNode {
  readonly token: Token;
  readonly children: MarkdownNode[];
}

/** Builds nodes from tokens. Content beyond the depth limit moves up into the deepest allowed node. */
function buildNodes(tokens: readonly Token[], depth: number): readonly MarkdownNode[] {
  const roots: MarkdownNode[] = [];
  const openNodes: OpenNode[] = [];
  let skippedDepth = 0;
  for (const token of tokens) {
    const siblings = openNodes.at(-1)?.children ?? roots;
    if (token.nesting === -1) {
      if (skippedDepth > 0) skippedDepth -= 1;
      else openNodes.pop();
    } else if (token.type === "inline") {
      siblings.push(...buildNodes(token.children ?? [], depth + openNodes.length));
    } else if (token.nesting === 0) {
      siblings.push({ token, children: buildNodes(token.children ?? [], DEPTH_MAX) });
    } else if (depth + openNodes.length >= DEPTH_MAX) {
      skippedDepth += 1;
    } else {
      const node = { token, children: [] };
      siblings.push(node);
      openNodes.push(node);
    }
  }
  return roots;
}
