import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { usageError } from "./command.ts";
import { readLine } from "./standard-input.ts";

/** Far above what the server allows: it says what is wrong with a long one. */
const PASSWORD_MAX_BYTES = 4_096;

/**
 * Returns a new password: of a terminal, typed twice without being shown, else the first line of standard input. Throws a
 * usage error where there is none.
 */
export async function readNewPassword(): Promise<string> {
  if (process.stdin.isTTY) return askTwice();
  const line = await readLine(PASSWORD_MAX_BYTES);
  if (line === null || line === "") {
    throw usageError("Give the password as the first line of standard input.");
  }
  return line;
}

async function askTwice(): Promise<string> {
  // Raw mode keeps the terminal from showing what is typed, and this output what readline would.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { stdin: input } = process;
  const typed = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  try {
    const lines = typed[Symbol.asyncIterator]();
    const first = await ask("Password: ", lines);
    const second = await ask("Once more: ", lines);
    if (first === second) return first;
    throw usageError("The two passwords differ; nothing was done.");
  } finally {
    typed.close();
  }
}

async function ask(prompt: string, lines: AsyncIterator<string>): Promise<string> {
  process.stderr.write(prompt);
  const { value, done } = await lines.next();
  process.stderr.write("\n");
  // Ctrl-C and Ctrl-D end the lines.
  if (done === true) throw usageError("No password was given; nothing was done.");
  return value;
}
