import { styleText } from "node:util";
import { EXIT } from "./command.ts";

/** A style of the few that the output has. */
export type Style = "bold" | "dim" | "green" | "red" | "yellow";

/** Where a command says what it has to say. */
export interface Terminal {
  /** The result, in lines. */
  readonly print: (line?: string) => void;
  /** The result, for programs: one JSON document. */
  readonly printJson: (document: unknown) => void;
  /** One of many results, for programs: a JSON document in a line of its own. */
  readonly printJsonLine: (document: unknown) => void;
  /** Replaces the line at the end of what stands beside the result, where a person sees it; written nowhere else. */
  readonly progress: (line: string) => void;
  /** What stands beside the result: progress and errors, without any API key or access token. */
  readonly note: (line: string) => void;
  /** Aborts once nobody reads the result any more, as after `head`. */
  readonly readerGone: AbortSignal;
  /** How many columns a line of the result has; null where it goes to no terminal. */
  readonly columns: number | null;
  /** Returns text for `print`, styled where the output shows styles. */
  readonly style: (style: Style, text: string) => string;
}

/** A version 4 UUID can be an API key: nothing else of the product has this form (RFC 9562 section 5.4). */
const KEY = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/gi;

/** The form of an access token, wherever it stands. */
const ACCESS_TOKEN = /\btat_[A-Za-z0-9_-]{27}/g;

/** Erase in Line of ECMA-48: from the cursor, which `progress` leaves at the beginning. */
const ERASE_LINE = "\u001b[K";

/** Returns the terminal of this process. */
export function processTerminal({ allowsColour }: { readonly allowsColour: boolean }): Terminal {
  const { stdout, stderr } = process;
  const hasColour = allowsColour && stdout.isTTY;
  const streamless = { validateStream: false };
  const reader = new AbortController();
  ignoreClosedPipe(stdout, () => reader.abort());
  ignoreClosedPipe(stderr);
  return {
    print: (line = "") => void stdout.write(`${line}\n`),
    printJson: (document) => void stdout.write(`${plainJson(document, 2)}\n`),
    printJsonLine: (document) => void stdout.write(`${plainJson(document)}\n`),
    readerGone: reader.signal,
    columns: stdout.isTTY ? stdout.columns : null,
    progress(line) {
      if (stderr.isTTY) stderr.write(`${ERASE_LINE}${line}\r`);
    },
    note(line) {
      if (stderr.isTTY) stderr.write(ERASE_LINE);
      stderr.write(`${withoutSecrets(line)}\n`);
    },
    style: (style, text) => (hasColour ? styleText(style, text, streamless) : text),
  };
}

/** Returns text without any API key or access token. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(KEY, "<key>").replaceAll(ACCESS_TOKEN, "<token>");
}

/** Returns text from elsewhere on one line, without what a terminal would obey. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, " ").trim();
}

/** JSON itself escapes only some of what a terminal would obey: C1 has a CSI of one character (ECMA-48 section 5.3). */
function plainJson(document: unknown, indent = 0): string {
  return JSON.stringify(document, null, indent).replaceAll(
    /[\u007f-\u009f\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A reader such as `head` may close early; what has an end goes on to it, and cleans up. */
function ignoreClosedPipe(stream: NodeJS.WriteStream, onClosed: () => void = () => {}): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return onClosed();
    // A disk that is full says nothing of what was done.
    process.stderr.write(`The output cannot be written (${error.code ?? error.message}).\n`);
    return process.exit(EXIT.failed);
  });
}
