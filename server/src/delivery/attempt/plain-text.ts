import MarkdownIt, { type Token } from "markdown-it";

/** As the console reads it: HTML is text, a line break is one, and what nests deeper than 100 levels stays as it is. */
const markdown = new MarkdownIt({ html: false, breaks: true });

/** In characters: no push has room for half as much, and brackets in long rows take the square of their number. */
const READ_MAX = 8_192;

/**
 * Returns what a Markdown text says without its marks, for devices that show none: links by their text, pictures by their
 * description, a block a line. Where nothing would be left, the text itself.
 */
export function plainText(text: string): string {
  const isLong = text.length > READ_MAX;
  const read = isLong ? `${text.slice(0, READ_MAX).replace(/[\ud800-\udbff]$/, "")}…` : text;
  const { said } = markdown.parse(read, {}).reduce(withToken, NOTHING);
  return said.trim() === "" ? text : said.trim();
}

interface Written {
  readonly said: string;
  /** Whether the last line takes what comes next: it is empty, or the sign of an item. */
  readonly isOpen: boolean;
  /** The lists that what follows stands in, each by its next number; null where it is not numbered. */
  readonly lists: readonly (number | null)[];
}

const NOTHING: Written = { said: "", isOpen: true, lists: [] };

function withToken(written: Written, token: Token): Written {
  const { said, isOpen, lists } = written;
  switch (token.type) {
    case "bullet_list_open":
      return { said, isOpen, lists: [...lists, null] };
    case "ordered_list_open":
      return { said, isOpen, lists: [...lists, Number(token.attrGet("start") ?? 1)] };
    case "bullet_list_close":
    case "ordered_list_close":
      return { said, isOpen, lists: lists.slice(0, -1) };
    case "list_item_open":
      return withItem(onNewLine(written));
    case "inline":
      return { said: said + inlineText(token.children ?? []), isOpen: false, lists };
    case "fence":
    case "code_block":
      return { said: onNewLine(written).said + token.content.trimEnd(), isOpen: false, lists };
    case "td_open":
    case "th_open":
      return isOpen ? written : { said: `${said} | `, isOpen: true, lists };
    case "paragraph_open":
    case "heading_open":
    case "tr_open":
      return onNewLine(written);
    default:
      return written;
  }
}

function onNewLine(written: Written): Written {
  const { said, isOpen, lists } = written;
  return isOpen ? written : { said: `${said}\n`, isOpen: true, lists };
}

function withItem({ said, lists }: Written): Written {
  const number = lists.at(-1) ?? null;
  const sign = number === null ? "•" : `${number}.`;
  return {
    said: `${said}${"  ".repeat(lists.length - 1)}${sign} `,
    isOpen: true,
    lists: number === null ? lists : [...lists.slice(0, -1), number + 1],
  };
}

function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === "softbreak" || type === "hardbreak") return "\n";
      return type === "image" ? inlineText(children ?? []) : content;
    })
    .join("");
}
