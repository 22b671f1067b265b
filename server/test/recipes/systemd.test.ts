import assert from "node:assert/strict";
import { mkdir, readlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { isInstalled, runProgram } from "../support/program.ts";
import { blockOf, fill, installNotify, writeScript } from "./page.ts";
import { setStage, type Stage } from "./stage.ts";

async function installScript({ app, ann, folder }: Stage): Promise<string> {
  const notify = await installNotify(folder, app, ann.key);
  const path = join(folder, "tocsin-unit-failed");
  const text = blockOf("systemd.md", "sh", "#!/bin/sh");
  await writeScript(path, fill(text, { "/usr/local/bin/tocsin-notify": notify }));
  return path;
}

test("the script of a unit that failed sends the end of its journal", async (t) => {
  if (!isInstalled(t, ["curl", "--version"], "curl")) return;
  if (!isInstalled(t, ["jq", "--version"], "jq")) return;
  const stage = await setStage(t);
  const script = await installScript(stage);
  // This machine may have no journal, and no right to read it: what a journal says of the unit stands in its place.
  const journalctl = join(stage.folder, "journalctl");
  await writeScript(journalctl, '#!/bin/sh\necho "asked $*"\necho "Disk \\"/var\\" is full"\n');
  const env = { PATH: `${stage.folder}:${process.env["PATH"]}` };
  const { code, stderr } = await runProgram(script, ["backup.service"], { env });
  assert.equal(code, 0, stderr);
  const { title, body, channel } = await stage.arrived();
  assert.deepEqual([title, channel], [`backup.service failed on ${hostname()}`, "systemd"]);
  assert.equal(
    body,
    'asked --unit backup.service --lines 30 --output cat --no-pager\nDisk "/var" is full\n',
  );
});

test("journalctl knows the options of the page", async (t) => {
  if (!isInstalled(t, ["journalctl", "--version"], "systemd")) return;
  const [options = ""] = /--lines.*--no-pager/.exec(blockOf("systemd.md", "sh", "#!/bin/sh")) ?? [];
  const { stderr } = await runProgram("journalctl", ["--unit", "x.service", ...options.split(" ")]);
  assert.doesNotMatch(stderr, /option|invalid|unrecognized/i);
});

test("systemd takes the units of the page", async (t) => {
  if (!isInstalled(t, ["systemd-analyze", "--version"], "systemd")) return;
  const stage = await setStage(t);
  const script = await installScript(stage);
  const alert = fill(blockOf("systemd.md", "ini", "ExecStart"), {
    "/usr/local/bin/tocsin-unit-failed": script,
  });
  const units = {
    "tocsin-alert@.service": alert,
    "backup.service": "[Service]\nExecStart=/bin/false\n",
    "backup.service.d/tocsin.conf": blockOf("systemd.md", "ini", "OnFailure"),
  };
  for (const [name, text] of Object.entries(units)) {
    const path = join(stage.folder, "units", name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const verify = (...names: readonly string[]) =>
    runProgram("systemd-analyze", ["verify", "--man=no", ...names], {
      env: { SYSTEMD_UNIT_PATH: `${join(stage.folder, "units")}:` },
    });
  const taken = await verify("backup.service", "tocsin-alert@backup.service.service");
  assert.deepEqual([taken.code, taken.stderr], [0, ""]);
  const [link, path] = ["tocsin-alert@.service.d/tocsin.conf", "tocsin-alert@.service"].map(
    (name) => join(stage.folder, "units", name),
  );
  const commands = fill(blockOf("systemd.md", "sh", "ln -s"), {
    "/etc/systemd/system": join(stage.folder, "units"),
  });
  assert.equal((await runProgram("sh", ["-e", "-c", commands])).code, 0);
  assert.equal(await readlink(link ?? ""), "/dev/null");
  await writeFile(path ?? "", fill(alert, { ExecStart: "ExecStrat" }));
  assert.notEqual(
    (await verify("backup.service", "tocsin-alert@backup.service.service")).stderr,
    "",
  );
});
