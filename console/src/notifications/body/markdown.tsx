import { Code } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import classes from "./body.module.css";
import { textOf, treeOf, type Node } from "./markdown-tree.ts";
import { OutLink } from "./out-link.tsx";
import { Picture } from "./picture.tsx";

/** A Markdown text, made of the elements below and no others; nothing is ever read as HTML. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className={classes["markdown"]} dir="auto">
      {shownAll(treeOf(text))}
    </div>
  );
}

/** Offset of headings: the notification's title is a heading of the second level. */
const HEADING_OFFSET = 2;
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

/** Elements that are shown as they are, by their opening token. */
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

function shownAll(nodes: readonly Node[]): ReactNode {
  return nodes.map((node, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the text does not change.
    <Fragment key={index}>{shown(node)}</Fragment>
  ));
}

function shown(node: Node): ReactNode {
  const { token, children } = node;
  const inside = shownAll(children);
  if (token.hidden) return inside;
  if (isElement(token.type)) {
    const Element = ELEMENTS[token.type];
    return <Element>{inside}</Element>;
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
      const Heading = HEADINGS[Number(token.tag.slice(1)) + HEADING_OFFSET - 3] ?? "h6";
      return <Heading>{inside}</Heading>;
    }
    case "ordered_list_open":
      return <ol start={Number(token.attrGet("start") ?? 1)}>{inside}</ol>;
    case "table_open":
      return (
        <div className={classes["table"]}>
          <table>{inside}</table>
        </div>
      );
    case "link_open":
      return (
        <OutLink href={String(token.attrGet("href") ?? "")} label={textOf(node)}>
          {inside}
        </OutLink>
      );
    case "image":
      return <Picture address={String(token.attrGet("src") ?? "")} text={textOf(node)} />;
    default:
      return inside;
  }
}

function isElement(type: string): type is keyof typeof ELEMENTS {
  return Object.hasOwn(ELEMENTS, type);
}
