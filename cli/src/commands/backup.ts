import { resolve } from "node:path";
import { backup as makeBackup } from "@tocsin/server/operator/backup.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { BACKUP } from "../descriptions/operators.ts";
import { interruptible } from "../interruption.ts";
import { operate, operatorConfig } from "../operator-command.ts";

const KEY_NOT_INCLUDED =
  "is not in it. Keep a copy of that key in another place: without it the backup is not whole.";

/** `tocsin backup`. */
export const backup: Command = async (args, terminal) => {
  const { options } = BACKUP;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const [folder, ...more] = positionals;
  if (folder === undefined || folder === "" || more.length > 0) {
    throw usageError("Give one folder, which is not there yet.");
  }
  const config = operatorConfig();
  const result = await operate(config, () =>
    interruptible((signal) => makeBackup({ config, now: Date.now, signal }, resolve(folder))),
  );
  if (!result.isRecorded) terminal.note("The audit log could not be written.");
  if (values.json === true) terminal.printJson(result);
  else {
    terminal.print(`${result.folder}  ${formatMegabytes(result.sizeBytes)} MB`);
    if (result.keyId !== null)
      terminal.note(`Its master key, ${result.keyId}, ${KEY_NOT_INCLUDED}`);
  }
  return EXIT.ok;
};

function formatMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
