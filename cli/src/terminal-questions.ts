import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { usageError } from "./command.ts";
import { Interrupted } from "./interruption.ts";

/** Asks the person at the terminal, on standard error. */
export interface Questions {
  /** Returns the answer, which is visible while it is typed. */
  readonly ask: (prompt: string) => Promise<string>;
  /** Returns the answer, which stays hidden. */
  readonly askSecretly: (prompt: string) => Promise<string>;
}

/** Runs `work` with the terminal's lines; throws `Interrupted` for Ctrl-C, and a usage error if Ctrl-D ends them. */
export async function withQuestions<T>(work: (questions: Questions) => Promise<T>): Promise<T> {
  // Raw mode keeps the terminal from echoing the input, and this output keeps readline from doing so.
  let isShown = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isShown) process.stderr.write(chunk);
      done();
    },
  });
  const { stdin: input } = process;
  const typed = createInterface({ input, output, terminal: true, historySize: 0 });
  const lines = typed[Symbol.asyncIterator]();
  let isInterrupted = false;
  // In raw mode Ctrl-C is a character, not a signal.
  typed.once("SIGINT", () => {
    isInterrupted = true;
    typed.close();
  });
  const next = async () => {
    const { value, done } = await lines.next();
    if (done !== true) return value;
    process.stderr.write("\n");
    if (isInterrupted) throw new Interrupted("SIGINT");
    throw usageError("No answer was given; nothing was done.");
  };
  try {
    return await work({
      async ask(prompt) {
        isShown = true;
        typed.setPrompt(prompt);
        typed.prompt();
        try {
          return await next();
        } finally {
          isShown = false;
        }
      },
      async askSecretly(prompt) {
        process.stderr.write(prompt);
        const answer = await next();
        process.stderr.write("\n");
        return answer;
      },
    });
  } finally {
    typed.close();
  }
}
