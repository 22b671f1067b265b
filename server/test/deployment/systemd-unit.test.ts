import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { readConfig } from "#config/config.ts";
import { run } from "../../../scripts/child.mjs";
import { skipUnlessInstalled } from "../support/program.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { getOverrideExample, readSystemdUnit, getUnitValues } from "../support/systemd-unit.ts";

const skip = skipUnlessInstalled("systemd-analyze", "systemd");
/** Out of 100. The unit needs the network, and executable memory for V8's compiled code. */
const EXPOSURE_MAX = 14;
/** `DRAIN_MS` of main.ts plus `GRACE_MS` of http/close.ts, in seconds. */
const STOP_MIN_S = 13;

/** Writes the unit to a folder, with a program that exists on this machine. Returns its path. */
async function writeUnit(t: TestContext, change = (text: string) => text): Promise<string> {
  const folder = await createTemporaryFolder(t);
  const text = change(readSystemdUnit()).replace("/opt/tocsin/bin/tocsin", "/bin/true");
  await writeFile(join(folder, "tocsin.service"), text);
  await mkdir(join(folder, "tocsin.service.d"));
  await writeFile(
    join(folder, "tocsin.service.d/override.conf"),
    getOverrideExample(readSystemdUnit()),
  );
  return join(folder, "tocsin.service");
}

async function analyze(args: readonly string[]) {
  return run("systemd-analyze", args, { stdio: ["ignore", "pipe", "pipe"], timeout: 30_000 });
}

test("systemd accepts the unit with its example override", { skip }, async (t) => {
  assert.match(getOverrideExample(readSystemdUnit()), /^\[Service\]\nEnvironment=TOCSIN_BASE_URL=/);
  const { code, output } = await analyze(["verify", "--man=no", await writeUnit(t)]);
  assert.deepEqual([code, output], [0, ""]);
  const invalidUnitPath = await writeUnit(t, (text) =>
    text.replace("ProtectClock=yes", "ProtectClok=yes"),
  );
  assert.match((await analyze(["verify", "--man=no", invalidUnitPath])).output, /ProtectClok/);
});

test("systemd-analyze measures an exposure of the unit below our limit", { skip }, async (t) => {
  const analyzeSecurity = (unitPath: string) =>
    analyze(["security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, unitPath]);
  const { code, output } = await analyzeSecurity(await writeUnit(t));
  assert.equal(code, 0, output);
  const unfilteredUnitPath = await writeUnit(t, (text) =>
    text.replaceAll(/^SystemCallFilter=.*\n/gm, ""),
  );
  assert.notEqual((await analyzeSecurity(unfilteredUnitPath)).code, 0);
});

test("the unit gives the server enough time to stop, and configures the server with valid settings", () => {
  const text = readSystemdUnit();
  const [timeout = ""] = getUnitValues(text, "TimeoutStopSec");
  assert.ok(Number(timeout) > STOP_MIN_S, timeout);
  const variables = `${text}\n${getOverrideExample(text)}`.match(/\bTOCSIN_[A-Z_]+(?==)/g) ?? [];
  assert.ok(variables.length > 3);
  const settings = getUnitValues(text, "Environment").filter((setting) =>
    setting.startsWith("TOCSIN_"),
  );
  const environment = Object.fromEntries(settings.map((setting) => setting.split("=")));
  assert.equal(readConfig(environment).dataDir, join(process.cwd(), "%S/tocsin"));
});
