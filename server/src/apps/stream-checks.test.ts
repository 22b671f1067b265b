import assert from "node:assert/strict";
import { test } from "node:test";
import { addApp, createAppFixture, openStream } from "../../test/support/app-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";
import { deleteSecret } from "./store/apps.ts";
import type { AppStream } from "./stream.ts";

test("a change of one device, and what one account reads, costs no look at the streams of others", async (t) => {
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
  fixture.apps.clearRead(app.accountId, ["n1"]);
  assert.deepEqual(connection.cleared, ["n1"]);
  await deleteSecret(fixture.context, app);
  checks.reviewDevice(app.deviceId);
  await eventually(
    async () => connection.isDestroyed,
    (isDestroyed) => isDestroyed,
  );
  for (const stream of streams) hub.remove(stream);
});
