import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { usageError } from "./command.ts";
import { InterruptedError } from "./interruption.ts";

/** Prompts on standard error, and reads answers from the terminal. */
export interface Prompts {
  /** Returns the answer, and echoes it while it is typed. */
  readonly prompt: (text: string) => Promise<string>;
  /** Returns the answer without echo. */
  readonly promptHidden: (text: string) => Promise<string>;
}

/** Runs `work` with prompts on the terminal; throws `InterruptedError` for Ctrl-C, and a usage error for Ctrl-D. */
export async function withPrompts<T>(work: (prompts: Prompts) => Promise<T>): Promise<T> {
  // Raw mode stops the terminal's echo, and this stream stops readline's.
  let isEchoed = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isEchoed) process.stderr.write(chunk);
      done();
    },
  });
  const { stdin: input } = process;
  const readline = createInterface({ input, output, terminal: true, historySize: 0 });
  const lines = readline[Symbol.asyncIterator]();
  let isInterrupted = false;
  // In raw mode, Ctrl-C is a character, not a signal.
  readline.once("SIGINT", () => {
    isInterrupted = true;
    readline.close();
  });
  const readLine = async () => {
    const { value, done } = await lines.next();
    if (done !== true) return value;
    process.stderr.write("\n");
    if (isInterrupted) throw new InterruptedError("SIGINT");
    throw usageError("No answer was given; nothing was done.");
  };
  try {
    return await work({
      async prompt(text) {
        isEchoed = true;
        readline.setPrompt(text);
        readline.prompt();
        try {
          return await readLine();
        } finally {
          isEchoed = false;
        }
      },
      async promptHidden(text) {
        process.stderr.write(text);
        const line = await readLine();
        process.stderr.write("\n");
        return line;
      },
    });
  } finally {
    readline.close();
  }
}
