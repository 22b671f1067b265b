import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { usageError } from "./command.ts";
import { Interrupted } from "./interruption.ts";

/** Prompts on standard error, and reads answers from the terminal. */
export interface Questions {
  /** Returns the answer, and echoes it while it is typed. */
  readonly ask: (prompt: string) => Promise<string>;
  /** Returns the answer without echo. */
  readonly askSecretly: (prompt: string) => Promise<string>;
}

/** Runs `work` with prompts on the terminal; throws `Interrupted` for Ctrl-C, and a usage error for Ctrl-D. */
export async function withQuestions<T>(work: (questions: Questions) => Promise<T>): Promise<T> {
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
    if (isInterrupted) throw new Interrupted("SIGINT");
    throw usageError("No answer was given; nothing was done.");
  };
  try {
    return await work({
      async ask(prompt) {
        isEchoed = true;
        readline.setPrompt(prompt);
        readline.prompt();
        try {
          return await readLine();
        } finally {
          isEchoed = false;
        }
      },
      async askSecretly(prompt) {
        process.stderr.write(prompt);
        const answer = await readLine();
        process.stderr.write("\n");
        return answer;
      },
    });
  } finally {
    readline.close();
  }
}
