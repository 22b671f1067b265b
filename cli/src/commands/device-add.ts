import { PLATFORMS, type Platform } from "@tocsin/sdk";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { DEVICE_ADD } from "../descriptions/account-holders.ts";
import { createSignedInClient } from "../signed-in-client.ts";
import { sanitize } from "../terminal.ts";

/** Adds an app that connects by itself, and prints what to enter in it: `tocsin device add`. */
export const deviceAddCommand: Command = async (args, terminal) => {
  const { options } = DEVICE_ADD;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) {
    throw usageError('Give one name for the device, such as "My phone".');
  }
  const platform = parsePlatform(values.platform);
  const { client } = await createSignedInClient(values, terminal);
  const added = await client.devices.addApp({
    client: values.other === true ? "other" : "ntfy",
    name,
    platform,
  });
  if (values.json === true) terminal.printJson(added);
  else {
    terminal.print(`Server     ${sanitize(added.url)}`);
    terminal.print(`Topic      ${sanitize(added.topic)}  (the notifications of every channel)`);
    terminal.print(`User name  ${sanitize(added.userName)}`);
    terminal.print(
      `Password   ${terminal.style("bold", sanitize(added.password))}  (shown only now: enter it in the app)`,
    );
  }
  return EXIT.ok;
};

function parsePlatform(text: string = "android"): Platform {
  const platform = PLATFORMS.find((name) => name === text.toLowerCase());
  if (platform !== undefined) return platform;
  throw usageError(`--platform is one of ${PLATFORMS.join(", ")}.`);
}
