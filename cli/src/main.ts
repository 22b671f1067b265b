#!/usr/bin/env node
import manifest from "../package.json" with { type: "json" };
import { EXIT, usageError, type Command, type CommandError } from "./command.ts";
import { allowsColour } from "./environment.ts";
import { failureOf } from "./failure.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

interface Entry {
  readonly name: string;
  readonly summary: string;
  /** Commands are loaded when they are called: `send` needs nothing of the server. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: readonly Entry[] = [
  {
    name: "serve",
    summary: "run the server",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "account create",
    summary: "make an account with a first API key",
    load: async () => (await import("./commands/account-create.ts")).accountCreate,
  },
  {
    name: "send",
    summary: "send a notification",
    load: async () => (await import("./commands/send.ts")).send,
  },
  {
    name: "doctor",
    summary: "look at what the server needs, and say what to mend",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "migrate",
    summary: "bring the tables of the database to this version",
    load: async () => (await import("./commands/migrate.ts")).migrate,
  },
  {
    name: "backup",
    summary: "copy the database while the server runs",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  {
    name: "move",
    summary: "move everything from SQLite to PostgreSQL, or back",
    load: async () => (await import("./commands/move.ts")).move,
  },
  {
    name: "demo",
    summary: "watch a throw-away server reach simulated phones and a browser",
    load: async () => (await import("./commands/demo.ts")).demo,
  },
];

const HELP = `Usage: tocsin COMMAND [options]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join("\n")}

  tocsin COMMAND --help   how a command is used
  tocsin --version        the version`;

const terminal = processTerminal({ allowsColour: allowsColour() });
hideExperiments(terminal);
process.exitCode = await run(process.argv.slice(2), terminal);

/** Node tells developers which parts of it are young; who runs `tocsin` did not choose them. */
function hideExperiments(terminal: Terminal): void {
  // Without listeners, the person asked Node for silence.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") terminal.note(`${name}: ${message}`);
  });
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = args;
  const entry = COMMANDS.find(({ name }) => isCalled(name, args));
  try {
    if (entry !== undefined) return await runCommand(entry, args, terminal);
    if (first === "--version" || first === "-v") terminal.print(manifest.version);
    else if (first === "--help" || first === "-h" || first === "help") terminal.print(HELP);
    else throw usageError(first === undefined ? HELP : unknown(args));
    return EXIT.ok;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) return reportFault(error, terminal);
    return report(failure, { name: entry?.name ?? null, isJson: asks(args, "--json"), terminal });
  }
}

async function runCommand(entry: Entry, args: readonly string[], terminal: Terminal) {
  const command = await entry.load();
  if (asks(args, "--help") || asks(args, "-h")) {
    terminal.print(command.help);
    return EXIT.ok;
  }
  return command.run(args.slice(entry.name.split(" ").length), terminal);
}

function isCalled(name: string, args: readonly string[]): boolean {
  return name.split(" ").every((word, index) => args[index] === word);
}

/** After `--`, nothing is an option. */
function asks(args: readonly string[], option: string): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).includes(option);
}

function unknown([first = "", second]: readonly string[]): string {
  const longer = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  const given = longer.length > 0 && second !== undefined ? `${first} ${second}` : first;
  const names = (longer.length > 0 ? longer : COMMANDS).map(({ name }) => name);
  return `There is no command "${given}". There is: ${names.join(", ")}.`;
}

interface Reported {
  readonly name: string | null;
  readonly isJson: boolean;
  readonly terminal: Terminal;
}

function report(failure: CommandError, { name, isJson, terminal }: Reported): number {
  const { message, code, field, requestId, exit } = failure;
  terminal.note(message);
  if (exit === "usage" && name !== null) terminal.note(`See tocsin ${name} --help.`);
  if (isJson) {
    terminal.printJsonLine({ success: false, message, error: { code, field, requestId } });
  }
  return EXIT[exit];
}

/** A fault of ours: its stack is what we need to mend it. */
function reportFault(error: unknown, terminal: Terminal): number {
  terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}
