import { parseArgs, type ParseArgsConfig } from "node:util";
import { findClosestWord } from "./closest-word.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs one command of `tocsin`; returns the exit code, and throws `CommandError` for errors that the caller can fix.
 */
export type Command = (args: readonly string[], terminal: Terminal) => Promise<number>;

/** The exit codes. Scripts rely on these numbers. */
export const EXIT = {
  ok: 0,
  /** The command ran, but with a negative result. */
  failed: 1,
  /** The arguments are invalid. Nothing was done. */
  usage: 2,
  /** The server rejected the request. */
  refused: 3,
  /** The server did not answer. */
  noConnection: 4,
  /** Nobody answered in time. */
  unanswered: 5,
} as const;

/** The meaning of each exit code, for `--help`. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "success",
  failed: "a negative result, such as no device reached; or a failure on this machine",
  usage: "wrong usage; nothing was done",
  refused: "the server refused",
  noConnection: "the server did not answer",
  unanswered: "nobody answered a question in time",
};

/** The details of a failure beyond its message. */
export interface CommandErrorDetails {
  readonly exit: keyof typeof EXIT;
  /** For programs: the command line's own code, or the server's. */
  readonly code: string;
  readonly field?: string | null;
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** A failure that is reported with only its message, without a stack trace. */
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
    throw usageError(describeUnknownOption(error, config) ?? error.message, error);
  }
}

/** Returns ` Did you mean …?` for a mistyped word; an empty string if no word is close. */
export function formatSuggestion(typed: string, words: Iterable<string>, prefix = ""): string {
  const word = findClosestWord(typed, words);
  return word === null ? "" : ` Did you mean ${prefix}${word}?`;
}

/**
 * Returns a message that names the unknown option as it was typed; null for another error. Node names only the first
 * letter after a single hyphen.
 */
function describeUnknownOption(
  error: Error,
  { args = [], options = {} }: ParseArgsConfig,
): string | null {
  if (!("code" in error) || error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return null;
  const [, reportedName = ""] = /'(--?[^'=]*)/.exec(error.message) ?? [];
  const typed = reportedName.startsWith("--")
    ? reportedName
    : (args.find((arg) => arg.startsWith(reportedName)) ?? reportedName);
  const word = typed.replace(/^-+/, "").replace(/=.*/s, "");
  const suggested = formatSuggestion(word, [...Object.keys(options), "help"], "--");
  const hint = suggested === "" ? " Put -- before a text that begins with a hyphen." : suggested;
  return `There is no option ${typed.replace(/=.*/s, "")}.${hint}`;
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_");
}
