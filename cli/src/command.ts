import { parseArgs, type ParseArgsConfig } from "node:util";
import { closest } from "./closest.ts";
import type { Terminal } from "./terminal.ts";

/** Runs one command of `tocsin`; returns the exit code, and throws `CommandError` for errors that the caller can fix. */
export type Command = (args: readonly string[], terminal: Terminal) => Promise<number>;

/** The exit codes; scripts rely on these numbers. */
export const EXIT = {
  ok: 0,
  /** The command did its work, and the answer is no. */
  failed: 1,
  /** The command was called wrongly; nothing was done. */
  usage: 2,
  /** The server answered, and refused. */
  refused: 3,
  /** The server did not answer. */
  noConnection: 4,
} as const;

/** The meaning of every exit code, for people. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "success",
  failed: "the answer is no, such as no device reached; or it could not be done",
  usage: "wrong usage; nothing was done",
  refused: "the server refused",
  noConnection: "the server did not answer",
};

/** The details of a failure beyond its message. */
export interface CommandErrorDetails {
  readonly exit: keyof typeof EXIT;
  /** For programs: our own code, or the server's. */
  readonly code: string;
  readonly field?: string | null;
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** A failure that its message explains, so that it needs no stack trace. */
export class CommandError extends Error {
  readonly exit: keyof typeof EXIT;
  readonly code: string;
  readonly field: string | null;
  readonly requestId: string | null;

  constructor(message: string, details: CommandErrorDetails) {
    super(message, { cause: details.cause });
    this.name = "CommandError";
    this.exit = details.exit;
    this.code = details.code;
    this.field = details.field ?? null;
    this.requestId = details.requestId ?? null;
  }
}

/** Returns the error for wrong usage. */
export function usageError(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { exit: "usage", code: "usage", cause });
}

/** Returns the options and positionals of a command; throws a usage error for unknown ones. */
export function parseOptions<T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!isParseError(error)) throw error;
    throw usageError(unknownOption(error, config) ?? error.message, error);
  }
}

/** Returns the question that suggests a word for a mistyped one, with a leading space; empty if none is near. */
export function suggestion(typed: string, words: Iterable<string>, prefix = ""): string {
  const word = closest(typed, words);
  return word === null ? "" : ` Did you mean ${prefix}${word}?`;
}

/** Node names a word after a single hyphen by its first letter; this names it as it was typed. */
function unknownOption(error: Error, { args = [], options = {} }: ParseArgsConfig): string | null {
  if (!("code" in error) || error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return null;
  const [, named = ""] = /'(--?[^'=]*)/.exec(error.message) ?? [];
  const typed = named.startsWith("--")
    ? named
    : (args.find((arg) => arg.startsWith(named)) ?? named);
  const word = typed.replace(/^-+/, "").replace(/=.*/s, "");
  const suggested = suggestion(word, [...Object.keys(options), "help"], "--");
  const hint = suggested === "" ? " Put -- before a text that begins with a hyphen." : suggested;
  return `There is no option ${typed.replace(/=.*/s, "")}.${hint}`;
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_");
}
