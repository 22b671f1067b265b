#!/usr/bin/env node
import manifest from "../package.json" with { type: "json" };
import { EXIT, formatSuggestion, usageError, type Command, type CommandError } from "./command.ts";
import { formatHelp, type CommandDescription } from "./description.ts";
import { DESCRIPTIONS, type CommandName } from "./descriptions.ts";
import { isColourAllowed } from "./environment.ts";
import { toCommandError } from "./failure.ts";
import { HELP } from "./help.ts";
import { InterruptedError } from "./interruption.ts";
import { createProcessTerminal, redactSecrets, type Terminal } from "./terminal.ts";

/** The loaders of the commands. Each command is imported only when it runs: `send` needs no code of the server. */
const LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  "account create": async () => (await import("./commands/account-create.ts")).accountCreateCommand,
  "account list": async () => (await import("./commands/account-list.ts")).accountListCommand,
  "account reset": async () => (await import("./commands/account-reset.ts")).accountResetCommand,
  "account invite": async () => (await import("./commands/account-invite.ts")).accountInviteCommand,
  send: async () => (await import("./commands/send.ts")).sendCommand,
  ask: async () => (await import("./commands/ask.ts")).askCommand,
  login: async () => (await import("./commands/login.ts")).loginCommand,
  logout: async () => (await import("./commands/logout.ts")).logoutCommand,
  watch: async () => (await import("./commands/watch.ts")).watchCommand,
  "incident list": async () => (await import("./commands/incident-list.ts")).incidentListCommand,
  "incident show": async () => (await import("./commands/incident-show.ts")).incidentShowCommand,
  "incident ack": async () => (await import("./commands/incident-ack.ts")).incidentAckCommand,
  "incident resolve": async () =>
    (await import("./commands/incident-resolve.ts")).incidentResolveCommand,
  log: async () => (await import("./commands/log.ts")).logCommand,
  devices: async () => (await import("./commands/devices.ts")).devicesCommand,
  "device add": async () => (await import("./commands/device-add.ts")).deviceAddCommand,
  keys: async () => (await import("./commands/keys.ts")).keysCommand,
  "key create": async () => (await import("./commands/key-create.ts")).keyCreateCommand,
  "key revoke": async () => (await import("./commands/key-revoke.ts")).keyRevokeCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand,
  "device remove": async () => (await import("./commands/device-remove.ts")).deviceRemoveCommand,
  migrate: async () => (await import("./commands/migrate.ts")).migrateCommand,
  backup: async () => (await import("./commands/backup.ts")).backupCommand,
  move: async () => (await import("./commands/move.ts")).moveCommand,
  rewrap: async () => (await import("./commands/rewrap.ts")).rewrapCommand,
  "audit export": async () => (await import("./commands/audit-export.ts")).auditExportCommand,
  "audit verify": async () => (await import("./commands/audit-verify.ts")).auditVerifyCommand,
  demo: async () => (await import("./commands/demo.ts")).demoCommand,
  completion: async () => (await import("./commands/completion.ts")).completionCommand,
};

// Users share Node's crash reports, and the environment contains secrets.
process.report.excludeEnv = true;

const terminal = createProcessTerminal({ allowsColour: isColourAllowed() });
hideExperimentalWarnings(terminal);
process.exitCode = await run(process.argv.slice(2), terminal);

/** Hides Node's warnings about experimental features, which are for developers, not for users of `tocsin`. */
function hideExperimentalWarnings(terminal: Terminal): void {
  // Without listeners, the user has disabled Node's warnings.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") terminal.printNote(`${name}: ${message}`);
  });
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = args;
  const description = DESCRIPTIONS.find(({ name }) => isCalled(name, args));
  try {
    const singular = description === undefined ? null : findSingularCommand(args);
    if (singular !== null)
      throw usageError(`There is no such command. Did you mean tocsin ${singular}?`);
    if (description !== undefined) return await runCommand(description, args, terminal);
    if (first === "--version" || first === "-v") terminal.print(manifest.version);
    else if (first === "--help" || first === "-h" || first === "help") terminal.print(HELP);
    else throw usageError(first === undefined ? HELP : describeUnknownCommand(args));
    return EXIT.ok;
  } catch (error) {
    if (error instanceof InterruptedError) return error.exitCode;
    const failure = toCommandError(error);
    if (failure === null) return reportBug(error, terminal);
    return report(failure, {
      name: description?.name ?? null,
      isJson: hasOption(args, "--json"),
      terminal,
    });
  }
}

async function runCommand(
  description: CommandDescription & { readonly name: CommandName },
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (hasOption(args, "--help") || hasOption(args, "-h")) {
    terminal.print(formatHelp(description));
    return EXIT.ok;
  }
  const command = await LOADERS[description.name]();
  return command(args.slice(description.name.split(" ").length), terminal);
}

function isCalled(name: string, args: readonly string[]): boolean {
  return name.split(" ").every((word, index) => args[index] === word);
}

/** Returns the command meant by a plural noun: `key create` for `keys create`. Only listing commands are plural. */
function findSingularCommand([first = "", second = ""]: readonly string[]): string | null {
  const fullName = `${first.replace(/s$/, "")} ${second}`;
  return first.endsWith("s") && DESCRIPTIONS.some(({ name }) => name === fullName)
    ? fullName
    : null;
}

/** Returns whether the arguments contain an option. Ignores everything after `--`. */
function hasOption(args: readonly string[], option: string): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).includes(option);
}

function describeUnknownCommand([first = "", second]: readonly string[]): string {
  const matches = DESCRIPTIONS.filter(({ name }) => {
    return name.startsWith(`${first} `) || name === `${first}s`;
  });
  const typedName = matches.length > 0 && second !== undefined ? `${first} ${second}` : first;
  const names = (matches.length > 0 ? matches : DESCRIPTIONS).map(({ name }) => name);
  const fullName = second === undefined ? first : `${first} ${second}`;
  const suggested =
    formatSuggestion(typedName, names, "tocsin ") || formatSuggestion(fullName, names, "tocsin ");
  return `There is no command "${typedName}".${suggested} There is: ${names.join(", ")}.`;
}

interface ReportOptions {
  readonly name: string | null;
  readonly isJson: boolean;
  readonly terminal: Terminal;
}

function report(failure: CommandError, { name, isJson, terminal }: ReportOptions): number {
  const { code, field, requestId, exit } = failure;
  const message = redactSecrets(failure.message);
  terminal.printNote(message);
  if (exit === "usage" && name !== null) terminal.printNote(`See tocsin ${name} --help.`);
  if (isJson) {
    terminal.printJsonLine({ success: false, message, error: { code, field, requestId } });
  }
  return EXIT[exit];
}

/** Prints the stack of a bug, for a bug report. */
function reportBug(error: unknown, terminal: Terminal): number {
  terminal.printNote(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}
