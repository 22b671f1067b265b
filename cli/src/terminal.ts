import { styleText } from "node:util";
import { EXIT } from "./command.ts";

/** A style of the output. */
export type Style = "bold" | "dim" | "green" | "red" | "yellow";

/** The output of a command. */
export interface Terminal {
  /** Prints a line of the result. */
  readonly print: (line?: string) => void;
  /** Prints the result as one JSON document. */
  readonly printJson: (document: unknown) => void;
  /** Prints one of several results: a JSON document on one line. */
  readonly printJsonLine: (document: unknown) => void;
  /** Replaces the last line of standard error if that is a terminal; otherwise writes nothing. */
  readonly showProgress: (line: string) => void;
  /** Prints a note or an error on standard error. Redacts API keys and access tokens. */
  readonly printNote: (line: string) => void;
  /** Aborts once the reader has closed the output, such as `head`. */
  readonly outputClosed: AbortSignal;
  /** The width of the terminal; null if the result does not go to one. */
  readonly columns: number | null;
  /** Returns text for `print`, styled if the output shows styles. */
  readonly style: (style: Style, text: string) => string;
}

/** Every version 4 UUID may be an API key: nothing else in Tocsin has this form (RFC 9562 section 5.4). */
const KEY_PATTERN = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/gi;

/** An access token, anywhere in a text. */
const ACCESS_TOKEN_PATTERN = /\btat_[A-Za-z0-9_-]{27}/g;

/** Erase in Line of ECMA-48: from the cursor, which `showProgress` leaves at the start of the line. */
const ERASE_LINE = "\u001b[K";

/** Returns the terminal of this process. */
export function createProcessTerminal({
  allowsColour,
}: {
  readonly allowsColour: boolean;
}): Terminal {
  const { stdout, stderr } = process;
  const showsColour = allowsColour && stdout.isTTY;
  const styleOptions = { validateStream: false };
  const reader = new AbortController();
  ignoreClosedPipe(stdout, () => reader.abort());
  ignoreClosedPipe(stderr);
  return {
    print: (line = "") => void stdout.write(`${line}\n`),
    printJson: (document) => void stdout.write(`${stringifySafely(document, 2)}\n`),
    printJsonLine: (document) => void stdout.write(`${stringifySafely(document)}\n`),
    outputClosed: reader.signal,
    columns: stdout.isTTY ? stdout.columns : null,
    showProgress(line) {
      if (stderr.isTTY) stderr.write(`${ERASE_LINE}${line}\r`);
    },
    printNote(line) {
      if (stderr.isTTY) stderr.write(ERASE_LINE);
      stderr.write(`${redactSecrets(line)}\n`);
    },
    style: (style, text) => (showsColour ? styleText(style, text, styleOptions) : text),
  };
}

/** Redacts the API keys and access tokens in a text. */
export function redactSecrets(text: string): string {
  return text.replaceAll(KEY_PATTERN, "<key>").replaceAll(ACCESS_TOKEN_PATTERN, "<token>");
}

/** Returns untrusted text on one line, without characters that control a terminal. */
export function sanitize(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, " ").trim();
}

/**
 * Returns JSON without terminal controls. JSON itself does not escape C1, which has a one-character CSI (ECMA-48
 * section 5.3).
 */
function stringifySafely(document: unknown, indent = 0): string {
  return JSON.stringify(document, null, indent).replaceAll(
    /[\u007f-\u009f\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Ignores a closed pipe: a reader such as `head` may close early, and the command still cleans up. */
function ignoreClosedPipe(stream: NodeJS.WriteStream, onClosed: () => void = () => {}): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return onClosed();
    // A full disk, for example: the command's work is done, but its result is lost.
    process.stderr.write(`The output cannot be written (${error.code ?? error.message}).\n`);
    return process.exit(EXIT.failed);
  });
}
