import assert from "node:assert/strict";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkDataFolder, checkDisk, assessFreeSpace } from "./data-folder.ts";

test("a private folder is ok, and so is a missing one, which the check does not create", async (t) => {
  const folder = await createTemporaryFolder(t);
  const privateFolder = join(folder, "own");
  await mkdir(privateFolder, { mode: 0o700 });
  assert.equal((await checkDataFolder(privateFolder)).status, "ok");
  const missingVerdict = await checkDataFolder(join(folder, "a", "b"));
  assert.equal(missingVerdict.status, "ok");
  assert.match(missingVerdict.message, /will be created at the first start/);
  assert.deepEqual(await readdir(folder), ["own"]);
});

test("a folder that other users can access is a warning with a chmod command", async (t) => {
  const folder = await createTemporaryFolder(t);
  await chmod(folder, 0o750);
  const verdict = await checkDataFolder(folder);
  assert.equal(verdict.status, "warn");
  assert.match(verdict.message, /has mode 750/);
  assert.equal(verdict.mend, `Run: chmod 700 ${folder}`);
});

test("a file, or a path below one, fails", async (t) => {
  const file = join(await createTemporaryFolder(t), "file");
  await writeFile(file, "");
  for (const path of [file, join(file, "below")]) {
    const verdict = await checkDataFolder(path);
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, /is not a folder/);
  }
});

const SKIP_FOR_ROOT = process.getuid?.() === 0 ? "root may write everywhere" : false;

test("a folder that this user cannot write to fails", { skip: SKIP_FOR_ROOT }, async (t) => {
  const folder = await createTemporaryFolder(t);
  await chmod(folder, 0o500);
  for (const path of [folder, join(folder, "below")]) {
    const verdict = await checkDataFolder(path);
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, /This user cannot (write to|create)/);
  }
});

test("little free space is a warning, and almost none fails", () => {
  const cases = [
    [99_000_000, "fail", /^99 MB are free/],
    [100_000_000, "warn", /^100 MB/],
    [999_000_000, "warn", /^999 MB/],
    [1_000_000_000, "ok", /^1\.0 GB/],
  ] as const;
  for (const [freeBytes, status, message] of cases) {
    const verdict = assessFreeSpace(freeBytes, "/data");
    assert.equal(verdict.status, status);
    assert.match(verdict.message, message);
  }
});

test("the free space for a missing folder is that of the disk on which it will be created", async (t) => {
  const folder = await createTemporaryFolder(t);
  const { message } = await checkDisk(join(folder, "not", "there", "yet"));
  assert.match(message, /^\d+(\.\d)? [MG]B are free on the disk of /);
});
