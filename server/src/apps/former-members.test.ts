import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewNotification } from "#delivery/delivery.ts";
import { dissolveTeam, insertTeam } from "#teams/members/store/members.ts";
import {
  awaitResults,
  awaitWait,
  deliverTo,
  startDelivery,
} from "../../test/support/app-delivery.ts";
import {
  addApp,
  createAppFixture,
  EVERYTHING,
  expectProofs,
  fetchMessages,
  fetchPage,
  openStream,
} from "../../test/support/app-fixture.ts";

test("a member who leaves a team gets none of its messages that wait, and keeps those that were given", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const teamId = context.newId();
  const { accountId } = app;
  await insertTeam(context, { teamId, name: "Ops", accountId, limit: 1, joinedStatements: [] });
  const deliver = async (overrides: Pick<NewNotification, "audience"> | undefined) => {
    const notification = await deliverTo(delivering, fixture, [app], overrides);
    await awaitWait(fixture, notification);
    return notification;
  };
  const team = { audience: { kind: "team", teamId } } as const;
  const given = await deliver(team);
  const poll = { subscriptions: EVERYTHING, matches: () => true, notificationId: null };
  await fetchMessages(fixture, app, { ...poll, since: { kind: "all" } });
  const waiting = await deliver(team);
  const own = await deliver(undefined);
  await dissolveTeam(context, { teamId, joinedStatements: [] });
  const list = async (notificationId: string | null) => {
    const messages = await fetchMessages(fixture, app, {
      ...poll,
      notificationId,
      since: { kind: "all" },
    });
    return messages.map(({ message }) => message.number);
  };
  assert.deepEqual(await list(null), [1, 3]);
  assert.deepEqual(await list(waiting.id), []);
  assert.deepEqual(await list(given.id), [1]);
  const page = await fetchPage(fixture, app, { channel: null, before: null, limit: 10 });
  assert.deepEqual(
    page.map(({ number }) => number),
    [3, 1],
  );
  const { connection } = await openStream(fixture, app, { since: { kind: "all" } });
  await connection.receives(2);
  assert.deepEqual(connection.numbers, [1, 3]);
  await openStream(fixture, app, { since: { kind: "id", id: own.id } });
  await expectProofs(fixture, app, ["fetched", null, "fetched"]);
  context.clock.advance(waiting.expiresAt - context.now() + 20_000);
  await delivering.delivery.worker.claimDue();
  const [result] = await awaitResults(fixture, waiting);
  assert.deepEqual([result?.state, result?.code], ["cancelled", "cancelled"]);
});
