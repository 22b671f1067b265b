import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addDevice,
  createDatabaseEnvironment,
  signUp,
  startApp,
} from "../../../server/test/support/app.ts";
import { readRecordedEvents } from "../../../server/test/support/recorded-events.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin } from "../tocsin.fixture.ts";

test("a removed device receives nothing more, and the audit log records the removal", async (t) => {
  const app = await startApp(t);
  const { dataDir } = app;
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    ...(await createDatabaseEnvironment(t, dataDir)),
  };
  const ann = await signUp(app, "Ann");
  const { device, phone } = await addDevice(app, ann);
  const keptDevice = await addDevice(app, ann, "Kept");
  const remove = (...args: string[]) => runTocsin(["device", "remove", ...args], { environment });
  const { code, stdout, stderr } = await remove(device.id);
  const line = `${device.id}  removed from the account ${ann.accountId}\n`;
  assert.deepEqual([code, stdout, stderr], [0, line, ""]);
  const { items } = await ann.client.devices.list();
  assert.deepEqual(
    items.map(({ id }) => id),
    [keptDevice.device.id],
  );
  await ann.client.notify({ title: "Hello", body: "World" });
  await keptDevice.phone.next();
  assert.equal(phone.requests.length, 0);
  const { action, actor, accountId, subjectId } =
    (await readRecordedEvents(app.app.context)).at(-1) ?? {};
  assert.deepEqual(
    [action, actor?.kind, accountId, subjectId],
    ["device_removed", "operator", ann.accountId, device.id],
  );
  const again = await remove(device.id, "--json");
  assert.equal(again.code, 1);
  assert.deepEqual(JSON.parse(again.stdout), { success: false, removed: [], unknown: [device.id] });
});

test("a missing id and a missing database are reported", async (t) => {
  const environment = { TOCSIN_DATA_DIR: await createTemporaryFolder(t) };
  const run = (...args: string[]) => runTocsin(["device", "remove", ...args], { environment });
  assert.equal((await run()).code, 2);
  const { code, stderr } = await run("x");
  assert.equal(code, 1);
  assert.match(stderr, /There is no database/);
});
