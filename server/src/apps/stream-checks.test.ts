import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addApp,
  createAppFixture,
  openStream,
  putMessages,
} from "../../test/support/app-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { AppStream } from "./stream.ts";

test("a change of one device, or a notification that one account read, costs no look at other streams", async (t) => {
  const fixture = await createAppFixture(t);
  const { hub, checks } = fixture.apps;
  const app = await addApp(fixture);
  const { connection } = await openStream(fixture, app);
  const streams = Array.from({ length: 10_000 }, (_, index) => {
    const stream = {
      app: { ...app, deviceId: `other-${index}`, accountId: `other-${index}` },
      destroy() {},
    };
    return stream as unknown as AppStream; // The hub reads nothing else.
  });
  for (const stream of streams) hub.add(stream);
  const startedAt = performance.now();
  for (let count = 0; count < 1_000; count += 1) checks.reviewDevice(`absent-${count}`);
  for (let count = 0; count < 1_000; count += 1) fixture.apps.clearRead(`absent-${count}`, ["n1"]);
  assert.ok(performance.now() - startedAt < 500);
  const ids = await putMessages(fixture, app, ["a"]);
  fixture.apps.clearRead(app.accountId, ids);
  await eventually(
    async () => connection.cleared.map(({ notificationId }) => notificationId),
    ([id]) => id === ids[0],
  );
  await fixture.context.database.db
    .deleteFrom("app_secret")
    .where("device_id", "=", app.deviceId)
    .execute();
  checks.reviewDevice(app.deviceId);
  await eventually(
    async () => connection.isDestroyed,
    (isDestroyed) => isDestroyed,
  );
  for (const stream of streams) hub.remove(stream);
});
