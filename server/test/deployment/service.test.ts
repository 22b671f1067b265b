import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { readConfig } from "#config/config.ts";
import { run } from "../../../scripts/child.mjs";
import { missing } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { exampleOf, unitText, valuesOf } from "../support/unit.ts";

const skip = missing("systemd-analyze", "systemd");
/** Of 100: what is left open is the network, and memory for the code that V8 makes. */
const EXPOSURE_MAX = 14;
/** Three seconds of notice, ten for what is under way. */
const STOP_S = 13;

/** Puts the unit into a folder, with a program that this machine has; returns its path. */
async function unitIn(t: TestContext, change = (text: string) => text): Promise<string> {
  const folder = await temporaryFolder(t);
  const text = change(unitText()).replace("/opt/tocsin/bin/tocsin", "/bin/true");
  await writeFile(join(folder, "tocsin.service"), text);
  await mkdir(join(folder, "tocsin.service.d"));
  await writeFile(join(folder, "tocsin.service.d/override.conf"), exampleOf(unitText()));
  return join(folder, "tocsin.service");
}

async function analyze(args: readonly string[]) {
  return run("systemd-analyze", args, { stdio: ["ignore", "pipe", "pipe"], timeout: 30_000 });
}

test("systemd takes the unit as it is, with the settings of its example", { skip }, async (t) => {
  assert.match(exampleOf(unitText()), /^\[Service\]\nEnvironment=TOCSIN_BASE_URL=/);
  const { code, output } = await analyze(["verify", "--man=no", await unitIn(t)]);
  assert.deepEqual([code, output], [0, ""]);
  const wrong = await unitIn(t, (text) => text.replace("ProtectClock=yes", "ProtectClok=yes"));
  assert.match((await analyze(["verify", "--man=no", wrong])).output, /ProtectClok/);
});

test("systemd finds little that the unit leaves open", { skip }, async (t) => {
  const judge = (unit: string) =>
    analyze(["security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, unit]);
  const { code, output } = await judge(await unitIn(t));
  assert.equal(code, 0, output);
  const open = await unitIn(t, (text) => text.replaceAll(/^SystemCallFilter=.*\n/gm, ""));
  assert.notEqual((await judge(open)).code, 0);
});

test("the unit gives the server its time to stop, and settings that it knows", () => {
  const text = unitText();
  const [timeout = ""] = valuesOf(text, "TimeoutStopSec");
  assert.ok(Number(timeout) > STOP_S, timeout);
  const variables = `${text}\n${exampleOf(text)}`.match(/\bTOCSIN_[A-Z_]+(?==)/g) ?? [];
  assert.ok(variables.length > 3);
  const settings = valuesOf(text, "Environment").filter((each) => each.startsWith("TOCSIN_"));
  const environment = Object.fromEntries(settings.map((each) => each.split("=")));
  assert.equal(readConfig(environment).dataDir, join(process.cwd(), "%S/tocsin"));
});
