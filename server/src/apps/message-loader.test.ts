import assert from "node:assert/strict";
import { test } from "node:test";
import { addApp, createAppFixture, storeNotification } from "../../test/support/app-fixture.ts";
import { MessageLoader } from "./message-loader.ts";

test("a page larger than the cache also contains the messages that were cached", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const notifications = await Promise.all(
    Array.from({ length: 250 }, () => storeNotification(fixture, app)),
  );
  const entries = notifications.map(({ id }, index) => ({ number: index + 1, notificationId: id }));
  const loader = new MessageLoader(fixture.context);
  await loader.load(entries.slice(-1));
  const messages = await loader.load(entries);
  assert.deepEqual(
    messages.map(({ number }) => number),
    entries.map(({ number }) => number),
  );
});
