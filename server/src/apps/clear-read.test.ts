import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addApp,
  createAppFixture,
  openStream,
  storeNotification,
} from "../../test/support/app-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";

test("every stream of an account learns which notifications were read elsewhere, with their senders' ids", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const other = await addApp(fixture);
  const extras = '{"sequenceId":"disk"}';
  const plain = await storeNotification(fixture, app);
  const named = await storeNotification(fixture, app, { extras });
  const streams = [await openStream(fixture, app), await openStream(fixture, app)];
  const { connection: unconcerned } = await openStream(fixture, other);
  fixture.apps.clearRead(app.accountId, [plain.id, named.id]);
  for (const { connection } of streams) {
    await eventually(
      async () => connection.cleared.length,
      (count) => count === 2,
    );
    assert.deepEqual(connection.cleared, [
      { notificationId: plain.id, extras: null },
      { notificationId: named.id, extras },
    ]);
  }
  assert.deepEqual(unconcerned.cleared, []);
});

test("a database failure while streams are told what was read destroys no stream", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const { connection } = await openStream(fixture, app);
  await fixture.context.database.close();
  fixture.apps.clearRead(app.accountId, [fixture.context.newId()]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([connection.cleared, connection.isDestroyed], [[], false]);
});
