import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  createDatabase,
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
} from "../../../server/test/support/database.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin } from "../tocsin.fixture.ts";

test(
  "move --json prints one line per progress event",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  async (t) => {
    const { location, acquire, release } = await createDatabase(t);
    acquire();
    t.after(release);
    const dataDir = join(await createTemporaryFolder(t), "data");
    const environment = { TOCSIN_DATA_DIR: dataDir };
    await runTocsin(["account", "create", "--email", "ann@example.org", "--name", "Ann"], {
      environment,
      input: "correct horse\n",
    });
    const to = location.kind === "postgres" ? location.url : "";
    const move = ["move", "--from", `sqlite:${join(dataDir, "tocsin.db")}`, "--to", to];
    const { code, stdout, stderr } = await runTocsin([...move, "--json"], { environment });
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [first] = lines;
    assert.deepEqual(first, { phase: "copy", table: first.table, rows: 0, total: first.total });
    assert.deepEqual(
      lines.find(({ rows, table }) => rows > 0 && table === "account"),
      { phase: "copy", table: "account", rows: 1, total: 1 },
    );
    const { success, tables, keyId } = lines.at(-1);
    assert.equal(success, true);
    assert.equal(keyId, null, "no server has made secrets yet");
    const account = tables.find(({ table }: { table: string }) => table === "account");
    assert.equal(account.rows, 1);
    assert.match(account.checksum, /^[0-9a-f]{32}$/);
    const again = await runTocsin(move, { environment });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /not empty/);
    assert.doesNotMatch(`${stdout}${again.stderr}`, /:tocsin@/);
  },
);

test("move exits with code 2 if the source or target is invalid", async () => {
  const cases = [
    ["move"],
    ["move", "--from", "data/tocsin.db", "--to", "postgres://localhost/tocsin"],
    ["move", "--from", "sqlite:one.db", "--to", "sqlite:two.db"],
    ["move", "--from", "sqlite:one.db", "--to", "postgres://localhost"],
  ];
  for (const args of cases) assert.equal((await runTocsin(args)).code, 2, args.join(" "));
});
