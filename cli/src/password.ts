import { usageError } from "./command.ts";
import { readLine } from "./standard-input.ts";
import { withQuestions } from "./terminal-questions.ts";

/** Far above the server's limit, so that the server reports a long password. */
const PASSWORD_MAX_BYTES = 4_096;

/**
 * Reads a new password: typed twice on a terminal without echo, otherwise from the first line of standard input. Throws
 * a usage error if there is none.
 */
export async function readNewPassword(): Promise<string> {
  if (process.stdin.isTTY) return askTwice();
  const line = await readLine(PASSWORD_MAX_BYTES);
  if (line === null || line === "") {
    throw usageError("Give the password as the first line of standard input.");
  }
  return line;
}

function askTwice(): Promise<string> {
  return withQuestions(async ({ askSecretly }) => {
    const first = await askSecretly("Password: ");
    const second = await askSecretly("Once more: ");
    if (first === second) return first;
    throw usageError("The two passwords differ; nothing was done.");
  });
}
