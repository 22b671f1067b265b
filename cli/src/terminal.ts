import { styleText } from "node:util";

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
  /** What stands beside the result: progress and errors, without any API key. */
  readonly note: (line: string) => void;
  /** Returns text for `print`, styled where the output shows styles. */
  readonly style: (style: Style, text: string) => string;
}

/** A version 4 UUID can be an API key: nothing else of the product has this form (RFC 9562 section 5.4). */
const KEY = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/gi;

/** Erase in Line of ECMA-48: from the cursor, which `progress` leaves at the beginning. */
const ERASE_LINE = "\u001b[K";

/** Returns the terminal of this process. */
export function processTerminal({ allowsColour }: { readonly allowsColour: boolean }): Terminal {
  const { stdout, stderr } = process;
  const hasColour = allowsColour && stdout.isTTY;
  const streamless = { validateStream: false };
  ignoreClosedPipe(stdout);
  ignoreClosedPipe(stderr);
  return {
    print: (line = "") => void stdout.write(`${line}\n`),
    printJson: (document) => void stdout.write(`${JSON.stringify(document, null, 2)}\n`),
    printJsonLine: (document) => void stdout.write(`${JSON.stringify(document)}\n`),
    progress(line) {
      if (stderr.isTTY) stderr.write(`${ERASE_LINE}${line}\r`);
    },
    note(line) {
      if (stderr.isTTY) stderr.write(ERASE_LINE);
      stderr.write(`${line.replaceAll(KEY, "<key>")}\n`);
    },
    style: (style, text) => (hasColour ? styleText(style, text, streamless) : text),
  };
}

/** Returns text from elsewhere on one line, without what a terminal would obey. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, " ").trim();
}

/** A reader such as `head` may close early; the work goes on to its end, and cleans up. */
function ignoreClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
