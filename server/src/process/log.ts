import { pino, type Logger } from "pino";
import { getShownFields } from "#config/conceal.ts";
import type { Config } from "#config/config.ts";
import { formatPlainLine } from "./plain-line.ts";

/** The output of log lines. */
export interface LogOutput {
  /** True for a terminal. */
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Returns the log of this process: plain lines on a terminal and JSON elsewhere, unless the operator chose a format.
 */
export function createLog(
  { logLevel, logFormat }: Pick<Config, "logLevel" | "logFormat">,
  output: LogOutput,
): Logger {
  const isPlain = logFormat === "text" || (logFormat === "auto" && output.isTTY === true);
  const options = {
    level: logLevel,
    base: { pid: process.pid },
    formatters: { log: getShownFields },
  };
  return pino(options, {
    write: (line: string) => output.write(isPlain ? formatPlainLine(line) : line),
  });
}
