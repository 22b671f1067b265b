import { rewrap } from "@tocsin/server/operator/rewrap.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { REWRAP } from "../descriptions/operators.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";
import type { Terminal } from "../terminal.ts";

type RewrapInput = Parameters<typeof rewrap>[0];
type Progress = Parameters<RewrapInput["onProgress"]>[0];
type RewrapResult = Awaited<ReturnType<typeof rewrap>>;

/** Seals the server's secrets with the current master key: `tocsin rewrap`. */
export const rewrapCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: REWRAP.options });
  const isJson = values.json === true;
  const config = readOperatorConfig();
  const onProgress = isJson ? terminal.printJsonLine : createProgressPrinter(terminal);
  const result = await runAsOperator(config, () => rewrap({ config, now: Date.now, onProgress }));
  if (isJson) terminal.printJsonLine({ success: true, ...result });
  else printResult(result, terminal);
  return EXIT.ok;
};

function createProgressPrinter(terminal: Terminal): (progress: Progress) => void {
  return ({ phase, done, total }) => terminal.showProgress(`Sealing ${phase}: ${done} of ${total}`);
}

function printResult(
  { keyId, secrets, mails, callbackSecrets, mustRestart }: RewrapResult,
  terminal: Terminal,
): void {
  const summary =
    secrets + mails + callbackSecrets === 0
      ? "All was sealed"
      : `Sealed: ${secrets} secrets, ${mails} mails, ${callbackSecrets} callback secrets`;
  terminal.print(`${summary} with the master key ${keyId}. No other key is needed any more.`);
  if (mustRestart) {
    terminal.printNote(
      "Restart the nodes, one after the other: the mails and callback secrets that they write until then are not sealed.",
    );
  }
  terminal.printNote(
    "Keep a copy of that key, but not with your backups: nobody can restore them without it.",
  );
}
