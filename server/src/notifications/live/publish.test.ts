import assert from "node:assert/strict";
import test from "node:test";
import type { KyselyPlugin } from "kysely";
import { insertAccount, createRoomContext } from "../../../test/support/context.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { LiveHub, type HubEvent } from "./hub.ts";
import { createLocalPublisher } from "./publish.ts";

test("events arrive in the order they were published in, even if one lookup is slow", async (t) => {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const firstDelay = Promise.withResolvers<void>();
  const secondDelay = Promise.withResolvers<void>();
  const delays = [firstDelay.promise, secondDelay.promise];
  const delayed: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await delays.shift();
      return result;
    },
  };
  const { database } = context;
  const hub = new LiveHub(context);
  const publisher = createLocalPublisher({
    context: { ...context, database: { ...database, db: database.db.withPlugin(delayed) } },
    hub,
  });
  const allReceived = Promise.withResolvers<void>();
  const events: HubEvent[] = [];
  hub.addStream(accountId, (event) => {
    events.push(event);
    if (events.length === 4) allReceived.resolve();
  });
  publisher.publishDevice({ accountId, deviceId: "one" });
  publisher.publishDevice({ accountId, deviceId: "two" });
  const notification = createNotification(context, accountId, { title: "Hello" });
  publisher.publishNotification(notification);
  publisher.publishFeedChange(accountId, { kind: "unread", ids: [notification.id] });
  secondDelay.resolve();
  await database.db.selectFrom("account").select("id").execute();
  assert.deepEqual(events, []);
  firstDelay.resolve();
  await allReceived.promise;
  assert.deepEqual(
    events.slice(0, 2).map(({ data }) => data),
    ["one", "two"].map((deviceId) => ({ deviceId, device: null, isNew: false })),
  );
  assert.deepEqual(
    events.slice(2).map(({ kind }) => kind),
    ["notification", "read"],
  );
});
