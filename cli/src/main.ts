#!/usr/bin/env node
import manifest from "../package.json" with { type: "json" };
import { EXIT, suggestion, usageError, type Command, type CommandError } from "./command.ts";
import { helpOf, type Description } from "./description.ts";
import { DESCRIPTIONS, type CommandName } from "./descriptions.ts";
import { allowsColour } from "./environment.ts";
import { failureOf } from "./failure.ts";
import { HELP } from "./help.ts";
import { Interrupted } from "./interruption.ts";
import { processTerminal, withoutSecrets, type Terminal } from "./terminal.ts";

/** Commands are loaded when they are called: `send` needs nothing of the server's code. */
const LOADS: Readonly<Record<CommandName, () => Promise<Command>>> = {
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

// Node's crash reports are shared with others, and the environment contains secrets.
process.report.excludeEnv = true;

const terminal = processTerminal({ allowsColour: allowsColour() });
hideExperiments(terminal);
process.exitCode = await run(process.argv.slice(2), terminal);

/** Hides Node's warnings about experimental features, which are for developers, not for users of `tocsin`. */
function hideExperiments(terminal: Terminal): void {
  // Without listeners, the user has silenced Node's warnings.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") terminal.note(`${name}: ${message}`);
  });
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = args;
  const called = DESCRIPTIONS.find(({ name }) => isCalled(name, args));
  try {
    const meant = called === undefined ? null : pairOfPlural(args);
    if (meant !== null) throw usageError(`There is no such command. Did you mean tocsin ${meant}?`);
    if (called !== undefined) return await runCommand(called, args, terminal);
    if (first === "--version" || first === "-v") terminal.print(manifest.version);
    else if (first === "--help" || first === "-h" || first === "help") terminal.print(HELP);
    else throw usageError(first === undefined ? HELP : unknown(args));
    return EXIT.ok;
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    const failure = failureOf(error);
    if (failure === null) return reportFault(error, terminal);
    return report(failure, { name: called?.name ?? null, isJson: asks(args, "--json"), terminal });
  }
}

async function runCommand(
  description: Description & { readonly name: CommandName },
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (asks(args, "--help") || asks(args, "-h")) {
    terminal.print(helpOf(description));
    return EXIT.ok;
  }
  const command = await LOADS[description.name]();
  return command(args.slice(description.name.split(" ").length), terminal);
}

function isCalled(name: string, args: readonly string[]): boolean {
  return name.split(" ").every((word, index) => args[index] === word);
}

/** Plural nouns list and singular ones change: `keys create` means `key create`. */
function pairOfPlural([first = "", second = ""]: readonly string[]): string | null {
  const pair = `${first.replace(/s$/, "")} ${second}`;
  return first.endsWith("s") && DESCRIPTIONS.some(({ name }) => name === pair) ? pair : null;
}

/** After `--`, nothing is an option. */
function asks(args: readonly string[], option: string): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).includes(option);
}

function unknown([first = "", second]: readonly string[]): string {
  const longer = DESCRIPTIONS.filter(({ name }) => {
    return name.startsWith(`${first} `) || name === `${first}s`;
  });
  const given = longer.length > 0 && second !== undefined ? `${first} ${second}` : first;
  const names = (longer.length > 0 ? longer : DESCRIPTIONS).map(({ name }) => name);
  const pair = second === undefined ? first : `${first} ${second}`;
  const near = suggestion(given, names, "tocsin ") || suggestion(pair, names, "tocsin ");
  return `There is no command "${given}".${near} There is: ${names.join(", ")}.`;
}

interface Reported {
  readonly name: string | null;
  readonly isJson: boolean;
  readonly terminal: Terminal;
}

function report(failure: CommandError, { name, isJson, terminal }: Reported): number {
  const { code, field, requestId, exit } = failure;
  const message = withoutSecrets(failure.message);
  terminal.note(message);
  if (exit === "usage" && name !== null) terminal.note(`See tocsin ${name} --help.`);
  if (isJson) {
    terminal.printJsonLine({ success: false, message, error: { code, field, requestId } });
  }
  return EXIT[exit];
}

/** Prints the stack of a bug, which we need to fix it. */
function reportFault(error: unknown, terminal: Terminal): number {
  terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}
