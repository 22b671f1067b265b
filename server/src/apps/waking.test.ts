import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  addApp,
  createAppFixture,
  fetchMessages,
  openStream,
  sendTo,
  storeNotification,
} from "../../test/support/app-fixture.ts";
import type { AppClient } from "./app.ts";
import type { Wake, WakeResult } from "./waker.ts";

const ACCEPTED: WakeResult = { host: "ntfy.sh", problem: null };

async function setUp(t: TestContext, { client = "ntfy" }: { readonly client?: AppClient } = {}) {
  const wakes: Wake[] = [];
  const answers: PromiseWithResolvers<WakeResult>[] = [];
  const fixture = await createAppFixture(t, {
    wake(wake) {
      wakes.push(wake);
      const answer = Promise.withResolvers<WakeResult>();
      answers.push(answer);
      return answer.promise;
    },
  });
  const app = await addApp(fixture, { client });
  const topic = await fixture.signIn.getOwnTopic(app);
  return { fixture, app, topic, wakes, answers };
}

test("an app for iPhones without a stream is woken by its own topic", async (t) => {
  const { fixture, app, topic, wakes, answers } = await setUp(t);
  await fixture.signIn.recordIphone(app);
  const notification = await storeNotification(fixture, app);
  const outcome = sendTo(fixture, app, notification);
  while (answers.length === 0) await new Promise(setImmediate);
  answers[0]?.resolve(ACCEPTED);
  assert.deepEqual(await outcome, {
    kind: "kept",
    reason: {
      code: "app_not_connected",
      detail: "which has not connected yet. ntfy.sh was asked to wake the phone",
    },
  });
  assert.deepEqual(wakes, [{ topic, notificationId: notification.id }]);
});

test("a message that the phone fetches before the service answers is accepted", async (t) => {
  const { fixture, app, answers } = await setUp(t);
  await fixture.signIn.recordIphone(app);
  const notification = await storeNotification(fixture, app);
  const outcome = sendTo(fixture, app, notification);
  while (answers.length === 0) await new Promise(setImmediate);
  const since = { kind: "all" } as const;
  await fetchMessages(fixture, app, {
    subscriptions: [{ topic: "all-x", channel: null }],
    since,
    matches: () => true,
    isFiltered: false,
    notificationId: null,
  });
  assert.deepEqual(await outcome, { kind: "accepted", receipt: "fetched" });
});

for (const [name, prepare] of [
  ["an app that never named itself one for iPhones", async () => {}],
  [
    "an app for iPhones that has a stream",
    async ({ fixture, app }: Awaited<ReturnType<typeof setUp>>) => {
      await fixture.signIn.recordIphone(app);
      await openStream(fixture, app);
    },
  ],
] as const) {
  test(`${name} is not woken`, async (t) => {
    const parts = await setUp(t);
    await prepare(parts);
    const { fixture, app, wakes } = parts;
    await sendTo(fixture, app, await storeNotification(fixture, app));
    assert.deepEqual(wakes, []);
  });
}

test("an app of another service is not woken", async (t) => {
  const { fixture, app, wakes } = await setUp(t, { client: "gotify" });
  await fixture.signIn.recordIphone(app);
  await sendTo(fixture, app, await storeNotification(fixture, app));
  assert.deepEqual(wakes, []);
});
