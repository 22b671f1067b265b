import type { Client, PromptReceipt } from "@tocsin/sdk";
import { parseAskArguments } from "../ask/arguments.ts";
import { awaitAnswer } from "../ask/await-answer.ts";
import { sendPrompt } from "../ask/send-prompt.ts";
import { EXIT, type Command } from "../command.ts";
import { runInterruptibly } from "../interruption.ts";
import { createKeyClient } from "../key-client.ts";
import { sanitize, type Terminal } from "../terminal.ts";

/** Asks people a question, and prints the answer: `tocsin ask`. */
export const askCommand: Command = async (args, terminal) => {
  const parsed = parseAskArguments(args);
  const client = createKeyClient(parsed.connection);
  const receipt = await runInterruptibly(async (signal) => {
    const sentPrompt = await sendPrompt(client, parsed, { signal, terminal });
    terminal.showProgress("Waiting for the answer; Ctrl-C withdraws the question.");
    try {
      signal.throwIfAborted();
      return await awaitAnswer(client, sentPrompt, signal);
    } catch (error) {
      if (signal.aborted) await withdraw(client, sentPrompt.promptId, terminal);
      throw error;
    } finally {
      terminal.showProgress("");
    }
  });
  if (parsed.isJson) terminal.printJson(receipt);
  else printAnswer(terminal, receipt);
  return toExitCode(receipt);
};

/** The time limit for withdrawing a prompt. If that fails, the prompt expires on the server. */
const WITHDRAW_TIMEOUT_MS = 5_000;

async function withdraw(
  { askedPrompts }: Client,
  promptId: string,
  terminal: Terminal,
): Promise<void> {
  try {
    const signal = AbortSignal.timeout(WITHDRAW_TIMEOUT_MS);
    const { state } = await askedPrompts.cancel(promptId, { signal });
    if (state === "answered") terminal.printNote("Somebody had answered already.");
  } catch {
    terminal.printNote(
      "The question could not be withdrawn. It ends by itself when its time is over.",
    );
  }
}

function printAnswer(terminal: Terminal, { state, answer }: PromptReceipt): void {
  if (answer !== null) terminal.print(sanitize(answer.choice ?? answer.text ?? ""));
  else if (state === "cancelled") terminal.printNote("Nobody answered. The question is withdrawn.");
  else terminal.printNote("Nobody answered in time.");
}

function toExitCode({ answer, choices }: PromptReceipt): number {
  if (answer === null) return EXIT.unanswered;
  return answer.choice === null || answer.choice === choices[0] ? EXIT.ok : EXIT.failed;
}
