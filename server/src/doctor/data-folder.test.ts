import assert from "node:assert/strict";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkDataFolder, checkDisk, judgeRoom } from "./data-folder.ts";

test("a folder is good if only this user may access it, or if it can be created", async (test) => {
  const folder = await temporaryFolder(test);
  const own = join(folder, "own");
  await mkdir(own, { mode: 0o700 });
  assert.equal((await checkDataFolder(own)).status, "ok");
  const missing = await checkDataFolder(join(folder, "a", "b"));
  assert.equal(missing.status, "ok");
  assert.match(missing.message, /will be made at the first start/);
  assert.deepEqual(await readdir(folder), ["own"]);
});

test("a folder that other users may access is reported with the command that closes it", async (test) => {
  const folder = await temporaryFolder(test);
  await chmod(folder, 0o750);
  const verdict = await checkDataFolder(folder);
  assert.equal(verdict.status, "warn");
  assert.match(verdict.message, /has mode 750/);
  assert.equal(verdict.mend, `Run: chmod 700 ${folder}`);
});

test("a path that is no folder, or is below a file, fails", async (test) => {
  const file = join(await temporaryFolder(test), "file");
  await writeFile(file, "");
  for (const path of [file, join(file, "below")]) {
    const verdict = await checkDataFolder(path);
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, /is not a folder/);
  }
});

const ROOT = process.getuid?.() === 0 ? "root may write everywhere" : false;

test("a folder that this user cannot write fails", { skip: ROOT }, async (test) => {
  const folder = await temporaryFolder(test);
  await chmod(folder, 0o500);
  for (const path of [folder, join(folder, "below")]) {
    const verdict = await checkDataFolder(path);
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, /This user cannot (write to|make)/);
  }
});

test("the disk has enough space, little, or none", async (test) => {
  const rows = [
    [99_000_000, "fail", /^99 MB are free/],
    [100_000_000, "warn", /^100 MB/],
    [999_000_000, "warn", /^999 MB/],
    [1_000_000_000, "ok", /^1\.0 GB/],
  ] as const;
  for (const [freeBytes, status, message] of rows) {
    const verdict = judgeRoom(freeBytes, "/data");
    assert.equal(verdict.status, status);
    assert.match(verdict.message, message);
  }
  const folder = await temporaryFolder(test);
  const real = await checkDisk(join(folder, "not", "there", "yet"));
  assert.match(real.message, /^\d+(\.\d)? [MG]B are free on the disk of /);
});
