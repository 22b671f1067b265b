import { spawn } from "node:child_process";
import { once } from "node:events";

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, output: string }} ExitResult */

/** @type {readonly NodeJS.Signals[]} */
const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM"];

/**
 * Runs a program until it exits, and forwards the signals that stop this process. Returns its exit code or signal, and its
 * output to pipes, both streams in one string; rejects if it cannot be started.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<ExitResult>}
 */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, options);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (/** @type {string} */ text) => (output += text));
  }
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    if (!isSentByTerminal(signal)) child.kill(signal);
  };
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  try {
    const [code, signal] = await once(child, "close");
    return { code, signal, output };
  } finally {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  }
}

/**
 * Ends this process as the child ended: with its exit code, or by its signal.
 *
 * @param {ExitResult} result
 */
export function exitLike({ code, signal }) {
  if (signal === null) process.exitCode = code ?? 1;
  else process.kill(process.pid, signal);
}

/**
 * Returns whether the terminal has already sent the signal to the child, as for Ctrl-C. A second one would mean "stop
 * immediately".
 *
 * @param {NodeJS.Signals} signal
 */
function isSentByTerminal(signal) {
  return signal === "SIGINT" && [process.stdin, process.stdout, process.stderr].some(isTerminal);
}

/** @param {{ isTTY?: boolean }} stream */
function isTerminal(stream) {
  return stream.isTTY === true;
}
