import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test, { type TestContext } from "node:test";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { createLog, type LogOutput } from "./log.ts";
import { formatPlainLine } from "./plain-line.ts";

const SERVER = fileURLToPath(new URL("../../test/support/serve.ts", import.meta.url));
/** Runs a command on its own terminal. */
const SCRIPT = "/usr/bin/script";
const NOON = new Date(2026, 10, 23, 12, 0, 1).getTime();

/** The lines of the log and of the announcement, which may come in either order. */
const START_PATTERNS = [/"address":.*"listening"|listening address=[^\n]*\n/, /set-up#token=\S+\s/];

const NODE = [process.execPath, "--disable-warning=ExperimentalWarning", SERVER];
/** Starts the server on a terminal, with script(1). */
const ON_TERMINAL = [SCRIPT, "-qefc", NODE.map((word) => `'${word}'`).join(" "), "/dev/null"];

/** Starts the server, and returns the lines of its output up to the address and the set-up link. */
async function readStartOutput(
  t: TestContext,
  [command = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(command, args, {
    cwd: await createTemporaryFolder(t),
    env: {
      PATH,
      ...(NODE_COMPILE_CACHE === "" ? {} : { NODE_COMPILE_CACHE }),
      TOCSIN_PORT: "0",
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
    // Killing the group closes the terminal, which ends the server on it.
    detached: true,
  });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  t.after(async () => {
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
    await exit;
  });
  let output = "";
  for await (const text of child.stdout.setEncoding("utf8")) {
    output += String(text);
    if (START_PATTERNS.every((pattern) => pattern.test(output))) break;
  }
  return output.split(/\r?\n/).filter((line) => line.trim() !== "");
}

const isJson = (line: string) => line.startsWith("{");
const isAnnouncement = (line: string) => line.startsWith("  ");

test(
  "the server prints plain lines on a terminal, unless it is set to JSON",
  { skip: !existsSync(SCRIPT) && "script(1) is not installed" },
  async (t) => {
    const lines = await readStartOutput(t, ON_TERMINAL);
    assert.deepEqual(lines.filter(isJson), []);
    assert.ok(lines.some((line) => /^\d\d:\d\d:\d\d info {2}listening address=http/.test(line)));
    const configuredOutput = await readStartOutput(t, ON_TERMINAL, { TOCSIN_LOG_FORMAT: "json" });
    assert.ok(configuredOutput.some(isJson));
    assert.deepEqual(
      configuredOutput.filter((line) => !isJson(line) && !isAnnouncement(line)),
      [],
    );
  },
);

test("the server prints JSON to a pipe, unless it is set to plain lines", async (t) => {
  const lines = await readStartOutput(t, NODE);
  const log = lines
    .filter((line) => !isAnnouncement(line))
    .map((line): unknown => JSON.parse(line));
  assert.ok(log.some((entry) => Object(entry).msg === "listening"));
  const configuredOutput = await readStartOutput(t, NODE, { TOCSIN_LOG_FORMAT: "text" });
  assert.deepEqual(configuredOutput.filter(isJson), []);
  assert.ok(configuredOutput.some((line) => line.includes(" info  listening ")));
});

test("the setting decides the log format, and without one the terminal", () => {
  const printWith = (logFormat: "auto" | "json" | "text", isTTY?: boolean) => {
    const lines: string[] = [];
    const output: LogOutput = {
      ...(isTTY === undefined ? {} : { isTTY }),
      write: (line) => lines.push(line),
    };
    createLog({ logLevel: "info", logFormat }, output).info({ count: 1 }, "hello");
    return lines.join("");
  };
  const plainLine = /^\d\d:\d\d:\d\d info {2}hello count=1\n$/;
  assert.match(printWith("auto", true), plainLine);
  assert.match(printWith("text", false), plainLine);
  for (const line of [printWith("auto"), printWith("auto", false), printWith("json", true)]) {
    const { msg, count, pid } = Object(JSON.parse(line));
    assert.deepEqual([msg, count, pid], ["hello", 1, process.pid]);
  }
});

test("a plain line has its fields after the message, shortens long lists and cannot control the terminal", () => {
  const formatLine = (fields: object) =>
    formatPlainLine(JSON.stringify({ level: 40, time: NOON, ...fields }));
  assert.equal(
    formatLine({ pid: 1, msg: "late", host: "push.example.org", count: 2, note: "two words" }),
    '12:00:01 warn  late host=push.example.org count=2 note="two words"\n',
  );
  assert.equal(
    formatLine({ msg: "migrated", steps: ["a", "b", "c", "d", "e"], two: ["a", "b"] }),
    '12:00:01 warn  migrated steps=[a, b, c, and 2 more] two=["a","b"]\n',
  );
  const hostileLine = formatLine({
    msg: "\u001b[2Jgone\u009b2J",
    name: "\u202eelif\u0007",
    err: { stack: "Error: \u001b]0;x\n    at here" },
  });
  assert.equal(
    hostileLine,
    '12:00:01 warn  \\u001b[2Jgone\\u009b2J name="\\u202eelif\\u0007"\n    Error: \\u001b]0;x\n    at here\n',
  );
});

test("text that is not a log line is shown, with its control characters escaped", () => {
  assert.equal(formatPlainLine("not \u001b JSON\n"), "not \\u001b JSON\n");
  assert.equal(formatPlainLine("[1]\n"), "[1]\n");
});
