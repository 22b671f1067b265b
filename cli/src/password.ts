import { usageError } from "./command.ts";
import { readLine } from "./standard-input.ts";
import { withPrompts } from "./terminal-prompts.ts";

/** Far above the server's limit, so that the server reports a long password. */
const PASSWORD_MAX_BYTES = 4_096;

/**
 * Reads a new password: typed twice on a terminal without echo, otherwise from the first line of standard input. Throws
 * a usage error if there is none, or if the two typed passwords differ.
 */
export async function readNewPassword(): Promise<string> {
  if (process.stdin.isTTY) return promptTwice();
  const line = await readLine(PASSWORD_MAX_BYTES);
  if (line === null || line === "") {
    throw usageError("Give the password as the first line of standard input.");
  }
  return line;
}

function promptTwice(): Promise<string> {
  return withPrompts(async ({ promptHidden }) => {
    const password = await promptHidden("Password: ");
    const repeatedPassword = await promptHidden("Once more: ");
    if (password === repeatedPassword) return password;
    throw usageError("The two passwords differ; nothing was done.");
  });
}
