import { resolve } from "node:path";
import { createBackup } from "@tocsin/server/operator/backup.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { BACKUP } from "../descriptions/operators.ts";
import { runInterruptibly } from "../interruption.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";

/** Copies the database and the server's secrets into a new folder: `tocsin backup`. */
export const backupCommand: Command = async (args, terminal) => {
  const { options } = BACKUP;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const [folder, ...more] = positionals;
  if (folder === undefined || folder === "" || more.length > 0) {
    throw usageError("Give one folder that does not exist yet.");
  }
  const config = readOperatorConfig();
  const result = await runAsOperator(config, () =>
    runInterruptibly((signal) => createBackup({ config, now: Date.now, signal }, resolve(folder))),
  );
  if (!result.isRecorded) terminal.printNote("The audit log could not be written.");
  if (values.json === true) terminal.printJson(result);
  else {
    terminal.print(`${result.folder}  ${formatMegabytes(result.sizeBytes)} MB`);
    if (result.keyId !== null) {
      terminal.printNote(
        `The backup does not contain its master key, ${result.keyId}. Keep a copy of the key in another place: nobody can restore the backup without it.`,
      );
    }
  }
  return EXIT.ok;
};

function formatMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
