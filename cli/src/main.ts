#!/usr/bin/env node
import manifest from "../package.json" with { type: "json" };
import { EXIT, suggestion, usageError, type Command, type CommandError } from "./command.ts";
import { helpOf, type Description } from "./description.ts";
import { DESCRIPTIONS, type CommandName } from "./descriptions.ts";
import { allowsColour } from "./environment.ts";
import { toCommandError } from "./failure.ts";
import { HELP } from "./help.ts";
import { Interrupted } from "./interruption.ts";
import { processTerminal, withoutSecrets, type Terminal } from "./terminal.ts";

/** The loaders of the commands. Each command is imported only when it runs: `send` needs no code of the server. */
const LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  serve: async () => (await import("./commands/serve.ts")).serve,
  "account create": async () => (await import("./commands/account-create.ts")).accountCreate,
  "account list": async () => (await import("./commands/account-list.ts")).accountList,
  "account reset": async () => (await import("./commands/account-reset.ts")).accountReset,
  "account invite": async () => (await import("./commands/account-invite.ts")).accountInvite,
  send: async () => (await import("./commands/send.ts")).send,
  login: async () => (await import("./commands/login.ts")).login,
  logout: async () => (await import("./commands/logout.ts")).logout,
  watch: async () => (await import("./commands/watch.ts")).watch,
  log: async () => (await import("./commands/log.ts")).log,
  devices: async () => (await import("./commands/devices.ts")).devices,
  keys: async () => (await import("./commands/keys.ts")).keys,
  "key create": async () => (await import("./commands/key-create.ts")).keyCreate,
  "key revoke": async () => (await import("./commands/key-revoke.ts")).keyRevoke,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  "device remove": async () => (await import("./commands/device-remove.ts")).deviceRemove,
  migrate: async () => (await import("./commands/migrate.ts")).migrate,
  backup: async () => (await import("./commands/backup.ts")).backup,
  move: async () => (await import("./commands/move.ts")).move,
  rewrap: async () => (await import("./commands/rewrap.ts")).rewrap,
  "audit export": async () => (await import("./commands/audit-export.ts")).auditExport,
  "audit verify": async () => (await import("./commands/audit-verify.ts")).auditVerify,
  demo: async () => (await import("./commands/demo.ts")).demo,
  completion: async () => (await import("./commands/completion.ts")).completion,
};

// Users share Node's crash reports, and the environment contains secrets.
process.report.excludeEnv = true;

const terminal = processTerminal({ allowsColour: allowsColour() });
hideExperimentalWarnings(terminal);
process.exitCode = await run(process.argv.slice(2), terminal);

/** Hides Node's warnings about experimental features, which are for developers, not for users of `tocsin`. */
function hideExperimentalWarnings(terminal: Terminal): void {
  // Without listeners, the user has disabled Node's warnings.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") terminal.note(`${name}: ${message}`);
  });
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = args;
  const description = DESCRIPTIONS.find(({ name }) => isCalled(name, args));
  try {
    const singular = description === undefined ? null : toSingular(args);
    if (singular !== null)
      throw usageError(`There is no such command. Did you mean tocsin ${singular}?`);
    if (description !== undefined) return await runCommand(description, args, terminal);
    if (first === "--version" || first === "-v") terminal.print(manifest.version);
    else if (first === "--help" || first === "-h" || first === "help") terminal.print(HELP);
    else throw usageError(first === undefined ? HELP : describeUnknown(args));
    return EXIT.ok;
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
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
  description: Description & { readonly name: CommandName },
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (hasOption(args, "--help") || hasOption(args, "-h")) {
    terminal.print(helpOf(description));
    return EXIT.ok;
  }
  const command = await LOADERS[description.name]();
  return command(args.slice(description.name.split(" ").length), terminal);
}

function isCalled(name: string, args: readonly string[]): boolean {
  return name.split(" ").every((word, index) => args[index] === word);
}

/** Returns the command meant by a plural noun: `key create` for `keys create`. Only listing commands are plural. */
function toSingular([first = "", second = ""]: readonly string[]): string | null {
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

function describeUnknown([first = "", second]: readonly string[]): string {
  const matches = DESCRIPTIONS.filter(({ name }) => {
    return name.startsWith(`${first} `) || name === `${first}s`;
  });
  const typedName = matches.length > 0 && second !== undefined ? `${first} ${second}` : first;
  const names = (matches.length > 0 ? matches : DESCRIPTIONS).map(({ name }) => name);
  const fullName = second === undefined ? first : `${first} ${second}`;
  const suggested =
    suggestion(typedName, names, "tocsin ") || suggestion(fullName, names, "tocsin ");
  return `There is no command "${typedName}".${suggested} There is: ${names.join(", ")}.`;
}

interface ReportOptions {
  readonly name: string | null;
  readonly isJson: boolean;
  readonly terminal: Terminal;
}

function report(failure: CommandError, { name, isJson, terminal }: ReportOptions): number {
  const { code, field, requestId, exit } = failure;
  const message = withoutSecrets(failure.message);
  terminal.note(message);
  if (exit === "usage" && name !== null) terminal.note(`See tocsin ${name} --help.`);
  if (isJson) {
    terminal.printJsonLine({ success: false, message, error: { code, field, requestId } });
  }
  return EXIT[exit];
}

/** Prints the stack of a bug, for a bug report. */
function reportBug(error: unknown, terminal: Terminal): number {
  terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}
