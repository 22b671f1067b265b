import { Code } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import classes from "./body.module.css";
import { getNodeText, parseMarkdown, type MarkdownNode } from "./markdown-tree.ts";
import { ExternalLink } from "./external-link.tsx";
import { Picture } from "./picture.tsx";

/** A Markdown text. It renders only the elements below and never raw HTML. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className={classes["markdown"]} dir="auto">
      {renderNodes(parseMarkdown(text))}
    </div>
  );
}

/** The elements of heading levels 1 to 4; deeper ones are `h6` too. The notification's title is the `h2` above them. */
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

/** Elements without attributes, by their opening token. */
const ELEMENTS = {
  paragraph_open: "p",
  bullet_list_open: "ul",
  list_item_open: "li",
  blockquote_open: "blockquote",
  thead_open: "thead",
  tbody_open: "tbody",
  tr_open: "tr",
  th_open: "th",
  td_open: "td",
  strong_open: "strong",
  em_open: "em",
  s_open: "s",
} as const;

function renderNodes(nodes: readonly MarkdownNode[]): ReactNode {
  return nodes.map((node, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the text does not change.
    <Fragment key={index}>{renderNode(node)}</Fragment>
  ));
}

function renderNode(node: MarkdownNode): ReactNode {
  const { token, children } = node;
  const content = renderNodes(children);
  if (token.hidden) return content;
  if (isElement(token.type)) {
    const Element = ELEMENTS[token.type];
    return <Element>{content}</Element>;
  }
  switch (token.type) {
    case "text":
      return token.content;
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "hr":
      return <hr />;
    case "code_inline":
      return <Code>{token.content}</Code>;
    case "code_block":
    case "fence":
      return <Code block>{token.content.trimEnd()}</Code>;
    case "heading_open": {
      const Heading = HEADINGS[Number(token.tag.slice(1)) - 1] ?? "h6";
      return <Heading>{content}</Heading>;
    }
    case "ordered_list_open":
      return <ol start={Number(token.attrGet("start") ?? 1)}>{content}</ol>;
    case "table_open":
      return (
        <div className={classes["table"]}>
          <table>{content}</table>
        </div>
      );
    case "link_open":
      return (
        <ExternalLink href={String(token.attrGet("href") ?? "")} label={getNodeText(node)}>
          {content}
        </ExternalLink>
      );
    case "image":
      return <Picture href={String(token.attrGet("src") ?? "")} alt={getNodeText(node)} />;
    default:
      return content;
  }
}

function isElement(type: string): type is keyof typeof ELEMENTS {
  return Object.hasOwn(ELEMENTS, type);
}
