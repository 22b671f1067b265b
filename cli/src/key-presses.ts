import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Calls `onKey` for each character typed on the terminal, and returns a function that stops this. Returns null, and
 * reads nothing, if standard input is not a terminal or the terminal belongs to another process. The keys that the
 * terminal itself handles, such as Ctrl-C, Ctrl-Z and Ctrl-S, keep their meaning.
 */
export function readKeyPresses(onKey: (key: string) => void): (() => void) | null {
  const { stdin } = process;
  if (!stdin.isTTY || !isInForeground()) return null;
  const passOnKeys = (data: Buffer) => {
    const text = data.toString().trim();
    // Input of different characters is a named key, such as an arrow, or pasted text, which is not a command.
    if (new Set(text).size === 1) for (const key of text) onKey(key);
  };
  const resume = () => {
    // In the background, reading from the terminal would stop this process.
    if (!isInForeground()) return;
    setLineMode("off");
    stdin.resume();
  };
  const suspend = () => {
    stdin.pause();
    setLineMode("on");
    process.kill(process.pid, "SIGSTOP");
  };
  stdin.on("data", passOnKeys);
  process.on("SIGTSTP", suspend).on("SIGCONT", resume);
  resume();
  // Node.js itself restores the settings of the terminal when the process ends.
  return () => {
    stdin.off("data", passOnKeys).pause();
    process.off("SIGTSTP", suspend).off("SIGCONT", resume);
  };
}

/**
 * Turns the terminal's line editing and echo on or off. The raw mode of Node.js would also turn off Ctrl-C and the
 * other keys that the terminal handles.
 */
function setLineMode(mode: "on" | "off"): void {
  const flags = mode === "on" ? ["icanon", "echo"] : ["-icanon", "-echo"];
  try {
    execFileSync("stty", flags, { stdio: ["inherit", "ignore", "ignore"] });
  } catch {
    // Without stty, the terminal passes on whole lines: Enter follows the key.
  }
}

/**
 * Returns whether the terminal belongs to this process. A background job that changes a terminal or reads from it is
 * stopped (POSIX.1-2024 section 11.1.4).
 */
function isInForeground(): boolean {
  try {
    const { own, foreground } =
      process.platform === "linux" ? readLinuxGroups() : readPosixGroups();
    return own !== undefined && own === foreground;
  } catch {
    return false;
  }
}

interface ProcessGroups {
  /** The process group of this process. */
  readonly own: string | undefined;
  /** The foreground process group of this process's terminal. */
  readonly foreground: string | undefined;
}

/** The positions of `pgrp` and `tpgid` among the fields after the name (proc_pid_stat(5)). */
const LINUX_POSITIONS = { own: 2, foreground: 5 } as const;

function readLinuxGroups(): ProcessGroups {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name of the process, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + ") ".length).split(" ");
  return { own: fields[LINUX_POSITIONS.own], foreground: fields[LINUX_POSITIONS.foreground] };
}

function readPosixGroups(): ProcessGroups {
  const args = ["-o", "pgid=", "-o", "tpgid=", "-p", String(process.pid)];
  const output = execFileSync("ps", args, { encoding: "utf8" });
  const [own, foreground] = output.trim().split(/\s+/);
  return { own, foreground };
}
