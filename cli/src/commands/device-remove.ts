import { removeDevices } from "@tocsin/server/operator/remove-devices.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { DEVICE_REMOVE } from "../descriptions/operators.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";

/** Removes devices of any account: `tocsin device remove`. */
export const deviceRemoveCommand: Command = async (args, terminal) => {
  const { options } = DEVICE_REMOVE;
  const { values, positionals: ids } = parseOptions({ args, options, allowPositionals: true });
  if (ids.length === 0) throw usageError("Give the id of each device to remove.");
  const config = readOperatorConfig();
  const removal = await runAsOperator(config, () => removeDevices({ config, now: Date.now }, ids));
  const success = removal.unknown.length === 0;
  if (values.json === true) terminal.printJson({ success, ...removal });
  else {
    for (const { deviceId, accountId } of removal.removed) {
      terminal.print(`${deviceId}  removed from the account ${accountId}`);
    }
    for (const deviceId of removal.unknown)
      terminal.printNote(`${deviceId}  no account has this device`);
  }
  return success ? EXIT.ok : EXIT.failed;
};
