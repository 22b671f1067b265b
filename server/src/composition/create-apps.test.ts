import assert from "node:assert/strict";
import test from "node:test";
import { Registry } from "prom-client";
import { OPERATOR } from "#audit/event.ts";
import { createRoomContext, insertAccount } from "../../test/support/context.ts";
import { eventually } from "../../test/support/eventually.ts";
import { createNotification, insertNotifications } from "../../test/support/notifications.ts";
import { createAppRoom } from "./create-apps.ts";

const MESSAGE_COUNT = 400;

test("if an app empties a long list, the feed marks its messages as read in one batch after another", async (t) => {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const read: string[] = [];
  const deps = {
    context,
    nodes: { id: "node-1", publish() {}, on() {} },
    metrics: { registry: new Registry() },
    basePublisher: {
      publishFeedChange(_accountId: string, change: { readonly which: { ids: string[] } }) {
        read.push(...change.which.ids);
      },
      publishDevice() {},
    },
    mail: { wake() {} },
  } as unknown as Parameters<typeof createAppRoom>[1]; // The room uses nothing else here.
  const { apps, appSignIn } = createAppRoom(
    { baseUrl: "https://a.example", mail: null, ntfyUpstream: null },
    deps,
  );
  const { app } = await appSignIn.add({
    accountId,
    client: "gotify",
    name: "Pixel",
    platform: "android",
    actor: OPERATOR,
  });
  const notifications = Array.from({ length: MESSAGE_COUNT }, () =>
    createNotification(context, accountId),
  );
  await insertNotifications(context, notifications);
  const rows = notifications.map(({ id }, index) => ({
    device_id: app.deviceId,
    number: index + 1,
    notification_id: id,
    expires_at: context.now() + 1_000,
    put_at: context.now(),
    taken_at: context.now(),
    how: "fetched" as const,
    removed_at: null,
  }));
  await context.database.db.insertInto("mailbox").values(rows).execute();
  const { database } = context;
  const commit = database.atomically.bind(database);
  let running = 0;
  let runningMax = 0;
  t.mock.method(database, "atomically", async (statements: Parameters<typeof commit>[0]) => {
    running += 1;
    runningMax = Math.max(runningMax, running);
    const results = await commit(statements);
    running -= 1;
    return results;
  });
  await apps.streams.removeFromList(app, { number: null, channel: null });
  await eventually(
    async () => read.length,
    (count) => count === MESSAGE_COUNT,
  );
  assert.equal(runningMax, 1);
});
