import assert from "node:assert/strict";
import test from "node:test";
import type { KyselyPlugin } from "kysely";
import { insertAccount, testContext } from "../../../test/support/room.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import { LiveHub, type HubEvent } from "./hub.ts";
import { createLocalPublisher } from "./publish.ts";

test("events keep the order of their publication, even if a lookup takes longer", async (t) => {
  const context = await testContext(t);
  const ann = await insertAccount(context);
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
  hub.open(ann, (event) => {
    events.push(event);
    if (events.length === 4) allReceived.resolve();
  });
  publisher.device({ accountId: ann, deviceId: "one" });
  publisher.device({ accountId: ann, deviceId: "two" });
  const notification = notificationTo(context, ann, { title: "Hello" });
  publisher.notification(notification);
  publisher.read(ann, { kind: "unread", ids: [notification.id] });
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
