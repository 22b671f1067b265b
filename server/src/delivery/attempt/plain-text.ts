import MarkdownIt, { type Token } from "markdown-it";

/** The level from which markdown-it drops all text of quotes and lists. Each list adds two levels. */
const NESTING_MAX = 100;
/** HTML is text, and line breaks stay. */
const OPTIONS = { html: false, breaks: true, maxNesting: NESTING_MAX } as const;
/** The lines of link definitions, such as `[db-1]: down`, stay text, because CommonMark would show nothing of them. */
const createParser = () => new MarkdownIt(OPTIONS).disable("reference");
const markdown = createParser();
/** Leaves quotes and lists as they are, with their markers. */
const markdownWithoutNesting = createParser().disable(["blockquote", "list"]);

/**
 * Maximum number of parsed characters. A push holds less than half of this, and parsing rows of brackets takes
 * quadratic time.
 */
const PARSED_MAX = 8_192;

/**
 * Returns a Markdown text without its markup, for devices that cannot show it. Links become their text, images their
 * description, and each block a line. Very deep quotes and lists keep their markup. If nothing is left, returns the
 * text unchanged.
 */
export function toPlainText(text: string): string {
  const isLong = text.length > PARSED_MAX;
  const source = isLong ? `${text.slice(0, PARSED_MAX).replace(/[\ud800-\udbff]$/, "")}…` : text;
  const { output } = parse(source).reduce(appendToken, INITIAL_STATE);
  return output.trim() === "" ? text : output.trim();
}

function parse(source: string): readonly Token[] {
  const tokens = markdown.parse(source, {});
  const isTooDeep = tokens.some(({ level }) => level >= NESTING_MAX - 1);
  return isTooDeep ? markdownWithoutNesting.parse(source, {}) : tokens;
}

interface RenderState {
  readonly output: string;
  /**
   * True if the next text continues the last line, because the line is empty or ends with a list marker or a cell
   * separator.
   */
  readonly isOpen: boolean;
  /** The open lists, each with its next number; null for a list with bullets. */
  readonly lists: readonly (number | null)[];
}

const INITIAL_STATE: RenderState = { output: "", isOpen: true, lists: [] };

function appendToken(state: RenderState, token: Token): RenderState {
  const { output, isOpen, lists } = state;
  switch (token.type) {
    case "bullet_list_open":
      return { output, isOpen, lists: [...lists, null] };
    case "ordered_list_open":
      return { output, isOpen, lists: [...lists, Number(token.attrGet("start") ?? 1)] };
    case "bullet_list_close":
    case "ordered_list_close":
      return { output, isOpen, lists: lists.slice(0, -1) };
    case "list_item_open":
      return appendListMarker(startNewLine(state));
    case "inline":
      return { output: output + getInlineText(token.children ?? []), isOpen: false, lists };
    case "fence":
    case "code_block":
      return {
        output: startNewLine(state).output + token.content.trimEnd(),
        isOpen: false,
        lists,
      };
    case "td_open":
    case "th_open":
      return isOpen ? state : { output: `${output} | `, isOpen: true, lists };
    case "paragraph_open":
    case "heading_open":
    case "tr_open":
      return startNewLine(state);
    default:
      return state;
  }
}

function startNewLine(state: RenderState): RenderState {
  const { output, isOpen, lists } = state;
  return isOpen ? state : { output: `${output}\n`, isOpen: true, lists };
}

function appendListMarker({ output, lists }: RenderState): RenderState {
  const number = lists.at(-1) ?? null;
  const marker = number === null ? "•" : `${number}.`;
  return {
    output: `${output}${"  ".repeat(lists.length - 1)}${marker} `,
    isOpen: true,
    lists: number === null ? lists : [...lists.slice(0, -1), number + 1],
  };
}

function getInlineText(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === "softbreak" || type === "hardbreak") return "\n";
      return type === "image" ? getInlineText(children ?? []) : content;
    })
    .join("");
}
