import assert from "node:assert/strict";
import { mkdir, readlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";
import { findBlock, fillPlaceholders, installNotify, writeScript } from "./page.ts";
import { startRecipeFixture, type RecipeFixture } from "./recipe-fixture.ts";

async function installScript({ app, ann, folder }: RecipeFixture): Promise<string> {
  const notify = await installNotify(folder, app, ann.key);
  const path = join(folder, "tocsin-unit-failed");
  const text = findBlock("systemd.md", "sh", "#!/bin/sh");
  await writeScript(path, fillPlaceholders(text, { "/usr/local/bin/tocsin-notify": notify }));
  return path;
}

test("the script of a failed unit sends the end of its journal", async (t) => {
  if (!isInstalledOrSkip(t, ["curl", "--version"], "curl")) return;
  if (!isInstalledOrSkip(t, ["jq", "--version"], "jq")) return;
  const fixture = await startRecipeFixture(t);
  const script = await installScript(fixture);
  // The machine may have no journal or no permission to read it, so a script replaces journalctl.
  const journalctl = join(fixture.folder, "journalctl");
  await writeScript(journalctl, '#!/bin/sh\necho "asked $*"\necho "Disk \\"/var\\" is full"\n');
  const env = { PATH: `${fixture.folder}:${process.env["PATH"]}` };
  const { code, stderr } = await runProgram(script, ["backup.service"], { env });
  assert.equal(code, 0, stderr);
  const { title, body, channel } = await fixture.receiveNext();
  assert.deepEqual([title, channel], [`backup.service failed on ${hostname()}`, "systemd"]);
  assert.equal(
    body,
    'asked --unit backup.service --lines 30 --output cat --no-pager\nDisk "/var" is full\n',
  );
});

test("journalctl accepts the options of the page", async (t) => {
  if (!isInstalledOrSkip(t, ["journalctl", "--version"], "systemd")) return;
  const [options = ""] =
    /--lines.*--no-pager/.exec(findBlock("systemd.md", "sh", "#!/bin/sh")) ?? [];
  const { stderr } = await runProgram("journalctl", ["--unit", "x.service", ...options.split(" ")]);
  assert.doesNotMatch(stderr, /option|invalid|unrecognized/i);
});

test("systemd accepts the units of the page", async (t) => {
  if (!isInstalledOrSkip(t, ["systemd-analyze", "--version"], "systemd")) return;
  const fixture = await startRecipeFixture(t);
  const script = await installScript(fixture);
  const alert = fillPlaceholders(findBlock("systemd.md", "ini", "ExecStart"), {
    "/usr/local/bin/tocsin-unit-failed": script,
  });
  const units = {
    "tocsin-alert@.service": alert,
    "backup.service": "[Service]\nExecStart=/bin/false\n",
    "backup.service.d/tocsin.conf": findBlock("systemd.md", "ini", "OnFailure"),
  };
  for (const [name, text] of Object.entries(units)) {
    const path = join(fixture.folder, "units", name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const verify = (...names: readonly string[]) =>
    runProgram("systemd-analyze", ["verify", "--man=no", ...names], {
      env: { SYSTEMD_UNIT_PATH: `${join(fixture.folder, "units")}:` },
    });
  const accepted = await verify("backup.service", "tocsin-alert@backup.service.service");
  assert.deepEqual([accepted.code, accepted.stderr], [0, ""]);
  const [link, path] = ["tocsin-alert@.service.d/tocsin.conf", "tocsin-alert@.service"].map(
    (name) => join(fixture.folder, "units", name),
  );
  const commands = fillPlaceholders(findBlock("systemd.md", "sh", "ln -s"), {
    "/etc/systemd/system": join(fixture.folder, "units"),
  });
  assert.equal((await runProgram("sh", ["-e", "-c", commands])).code, 0);
  assert.equal(await readlink(link ?? ""), "/dev/null");
  await writeFile(path ?? "", fillPlaceholders(alert, { ExecStart: "ExecStrat" }));
  assert.notEqual(
    (await verify("backup.service", "tocsin-alert@backup.service.service")).stderr,
    "",
  );
});
