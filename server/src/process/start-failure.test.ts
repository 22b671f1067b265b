import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { lockInstance } from "#database/instance-lock.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { explainStartFailure } from "./start-failure.ts";

const SETTINGS = { host: "127.0.0.1", port: 80, dataDir: "/srv/tocsin" };

function explain(error: unknown): string | null {
  return explainStartFailure(error, SETTINGS);
}

async function catchListenError(host: string, port: number): Promise<unknown> {
  const server = createServer().listen(port, host);
  const [error] = await once(server, "error");
  return error;
}

function catchFailure(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing failed.");
}

test("the message for an address that cannot be listened on names its setting", async (t) => {
  const blocker = createServer().listen(0, "127.0.0.1");
  await once(blocker, "listening");
  t.after(() => blocker.close());
  const address = blocker.address();
  assert.ok(address !== null && typeof address === "object");
  assert.match(
    explain(await catchListenError("127.0.0.1", address.port)) ?? "",
    /^Port 80 .*_PORT\.$/,
  );
  // RFC 5737: an address for documentation, which no machine has.
  assert.match(explain(await catchListenError("203.0.113.9", 0)) ?? "", /TOCSIN_HOST/);
  const deniedError = Object.assign(new Error("listen EACCES"), {
    code: "EACCES",
    syscall: "listen",
  });
  assert.match(explain(deniedError) ?? "", /may not listen on port 80/);
});

test("the message for an unusable data folder names the folder and the fix", async (t) => {
  const folder = await createTemporaryFolder(t);
  await writeFile(join(folder, "file"), "x".repeat(4_096));
  const creation = mkdir(join(folder, "file", "data"), { recursive: true });
  const notFolder = await creation.catch((error: unknown) => error);
  assert.match(explain(notFolder) ?? "", /^The data folder \/srv\/tocsin is not a folder/);
  const readOnly = Object.assign(new Error("mkdir"), { code: "EROFS", syscall: "mkdir" });
  assert.match(explain(readOnly) ?? "", /cannot be written by this user/);
  const diskFullError = Object.assign(new Error("write"), { code: "ENOSPC", syscall: "write" });
  assert.match(explain(diskFullError) ?? "", /disk .* is full/);
  const missingError = catchFailure(() => new DatabaseSync(join(folder, "none", "tocsin.db")));
  assert.match(explain(missingError) ?? "", /cannot be written/);
  const damagedError = catchFailure(() =>
    new DatabaseSync(join(folder, "file")).exec("select * from a"),
  );
  assert.match(explain(damagedError) ?? "", /is damaged/);
});

test("another server on the folder is recognized by the deepest cause", async (t) => {
  const path = join(await createTemporaryFolder(t), "server.lock");
  t.after(lockInstance(path));
  const wrappedError = new Error("cannot start", { cause: catchFailure(() => lockInstance(path)) });
  assert.match(explain(wrappedError) ?? "", /^Another Tocsin server runs on the data folder/);
});

test("an internal error gets no explanation", () => {
  assert.equal(explain(new TypeError("undefined is not a function")), null);
  assert.equal(explain("text"), null);
  const circularError = new Error("a");
  circularError.cause = circularError;
  assert.equal(explain(circularError), null);
});
