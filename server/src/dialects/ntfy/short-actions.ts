import { NtfyError } from "./ntfy-error.ts";

/** The fields of an action that the short form may name, besides `headers.` and `extras.` with a name. */
const ACTION_FIELDS: readonly string[] = [
  "action",
  "label",
  "clear",
  "url",
  "method",
  "body",
  "intent",
  "value",
];

/** The field for the third section of an action if that section has no name, by the kind of the action. */
const THIRD_FIELDS: ReadonlyMap<string, string> = new Map([
  ["view", "url"],
  ["http", "url"],
  ["copy", "value"],
]);

/** An action of the short form, before it is checked. */
interface ShortAction {
  /** The texts by the names of their fields. */
  readonly [field: string]: string | Readonly<Record<string, string>>;
}

/**
 * Returns the first actions, at most `countMax`, in a text such as `view, Open portal, https://…, clear=true; http, …`:
 * sections separated by commas, actions by semicolons, values optionally in quotes. Throws 40018.
 * (binwiederhier/ntfy: server/actions.go)
 */
export function parseShortActions(text: string, countMax: number): readonly ShortAction[] {
  const scanner = new SectionScanner(text);
  const actions: ShortAction[] = [];
  while (!scanner.isAtEnd && actions.length < countMax) actions.push(readAction(scanner));
  return actions;
}

function readAction(scanner: SectionScanner): ShortAction {
  const texts = new Map<string, string>();
  const headers = new Map<string, string>();
  const extras = new Map<string, string>();
  for (let index = 0, isLast = false; !isLast; index += 1) {
    const section = scanner.readSection();
    isLast = section.isLast;
    const { value } = section;
    const name = section.name ?? findPositionalName(index, texts.get("action"));
    if (name === undefined) throw new NtfyError(40018, `term '${shorten(value)}' unknown`);
    if (name.startsWith("headers.")) headers.set(name.slice("headers.".length), value);
    else if (name.startsWith("extras.")) extras.set(name.slice("extras.".length), value);
    else texts.set(requireKnownName(name), value);
  }
  return {
    ...Object.fromEntries(texts),
    headers: Object.fromEntries(headers),
    extras: Object.fromEntries(extras),
  };
}

function findPositionalName(index: number, kind: string | undefined): string | undefined {
  if (index < 2) return index === 0 ? "action" : "label";
  return index === 2 ? THIRD_FIELDS.get((kind ?? "").toLowerCase()) : undefined;
}

function requireKnownName(name: string): string {
  const lowerName = name.toLowerCase();
  if (ACTION_FIELDS.includes(lowerName)) return lowerName;
  throw new NtfyError(40018, `key '${shorten(name)}' unknown`);
}

/** The maximum length of a part of the request in an error. */
const QUOTE_LENGTH_MAX = 40;

/** Returns the beginning of a text for an error, which must not grow with the request. */
function shorten(text: string): string {
  return text.slice(0, QUOTE_LENGTH_MAX).toWellFormed();
}

interface Section {
  /** Undefined for a section without a name. */
  readonly name: string | undefined;
  readonly value: string;
  /** Whether the action ends here. */
  readonly isLast: boolean;
}

/** Reads the sections of a text one after another. */
class SectionScanner {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  readSection(): Section {
    this.#match(/\s*/y);
    const name = this.#match(/([-.\w]+)\s*=\s*/y)?.[1];
    const value = this.#readValue();
    const end = this.#match(/\s*([,;]|$)/y);
    if (end === null) {
      throw new NtfyError(40018, `unexpected character at position ${this.#position}`);
    }
    const isLast = end[1] !== ",";
    // Spaces after an action do not begin another action.
    if (isLast) this.#match(/\s*/y);
    return { name, value, isLast };
  }

  /** Reads a value in quotes, in which a backslash escapes the same quote, or one that ends before `,` or `;`. */
  #readValue(): string {
    const quote = this.#match(/["']/y)?.[0];
    if (quote === undefined) return this.#match(/[^,;]*/y)?.[0].trim() ?? "";
    const start = this.#position;
    const content = quote === '"' ? /((?:[^"\\]|\\[^])*)"/y : /((?:[^'\\]|\\[^])*)'/y;
    const value = this.#match(content)?.[1];
    if (value !== undefined) return value.replaceAll(`\\${quote}`, quote);
    throw new NtfyError(40018, `unexpected end of input, quote started at position ${start}`);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#position = pattern.lastIndex;
    return match;
  }
}
