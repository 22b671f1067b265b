import assert from "node:assert/strict";
import { dirname } from "node:path";
import test from "node:test";
import { pino } from "pino";
import { createDatabase } from "../../test/support/database.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { createSecret, findSecrets } from "#callbacks/store/secrets.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { generateMasterKeyText, parseMasterKey } from "#secrets/master-key.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { loadSecrets } from "#secrets/secrets.ts";
import { rewrap } from "./rewrap.ts";
import { createOperatorContext } from "./with-context.ts";

const log = pino({ level: "silent" });
const now = () => Date.UTC(2026, 5, 1);

test("callback secrets that a server stored unsealed are sealed, and can still be read", async (t) => {
  const { location, acquire, release } = await createDatabase(t);
  acquire();
  t.after(release);
  const dataDir =
    location.kind === "sqlite" ? dirname(location.path) : await createTemporaryFolder(t);
  const masterKeys = {
    current: parseMasterKey(generateMasterKeyText()),
    old: null,
    file: null,
  };
  const config = { database: location, dataDir, masterKeys };
  const database = openDatabase(location, log);
  t.after(() => database.close());
  await migrate(database);
  const { session } = await loadSecrets(config, database);
  const context = createOperatorContext(database, { now, log });
  const secret = await createSecret(context, "first-key");
  const lines: string[] = [];
  const onProgress: Parameters<typeof rewrap>[0]["onProgress"] = ({ phase, done, total }) =>
    lines.push(`${phase} ${done} of ${total}`);
  assert.equal((await rewrap({ config, now, onProgress })).callbackSecrets, 1);
  assert.equal(lines.at(-1), "callback secrets 1 of 1");
  const rows = await database.db.selectFrom("callback_secret").select("secret").execute();
  assert.ok(!JSON.stringify(rows).includes(secret));
  const seal = createRowSeal({ secret: session, isSealing: true });
  assert.deepEqual((await findSecrets({ ...context, seal }, "first-key")).secrets, [secret]);
  assert.equal((await rewrap({ config, now, onProgress })).callbackSecrets, 0);
});
