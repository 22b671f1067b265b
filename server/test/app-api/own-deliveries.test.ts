import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { DeliveryDetail } from "@tocsin/sdk";
import { reportFigure } from "../bars/bar.ts";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { idOf, isOver, recordOnce } from "../support/log.ts";
import { join, memberIdOf } from "../support/membership.ts";
import { ACCESS } from "./access-table.ts";
import { ask, documented } from "./operations.ts";
import { PRINCIPALS, startStage, type Principal } from "./stage.ts";

const ALARM = { title: "Pump stopped", body: "Basement" };

/** A team of three; the names of their devices say whose they are. */
async function scene(t: TestContext) {
  const app = await startApp(t);
  const [ann, adam, bob] = await Promise.all(["Ann", "Adam", "Bob"].map((who) => signUp(app, who)));
  if (ann === undefined || adam === undefined || bob === undefined) throw new Error("Who?");
  const team = await ann.client.teams.create({ name: "Ops" });
  await join(ann, team.id, bob);
  await ann.client.teams.updateMember(team.id, await join(ann, team.id, adam), { role: "admin" });
  const annsPhone = await addDevice(app, ann, "Ann's phone");
  const bobsPhone = await addDevice(app, bob, "Bob's phone");
  const bobsTablet = await addDevice(app, bob, "Bob's tablet");
  const alarm = async () => idOf(await ann.withKey(team.key).notify(ALARM));
  return { app, ann, adam, bob, team, annsPhone, bobsPhone, bobsTablet, alarm };
}

function told(items: readonly DeliveryDetail[]) {
  return items.map(({ deviceName, state, owner }) => [deviceName, state, owner?.name ?? null]);
}

async function ownOf({ client }: TestPerson, id: string) {
  return told((await client.feed.deliveries(id)).items);
}

test("each reader of a team's notification sees their own devices, and those who manage the team all of them by person", async (t) => {
  const { app, ann, adam, bob, team, bobsPhone, alarm } = await scene(t);
  bobsPhone.phone.unsubscribe();
  const id = await alarm();
  await recordOnce(ann.client, id, isOver);
  assert.deepEqual(await ownOf(bob, id), [
    ["Bob's phone", "gone", null],
    ["Bob's tablet", "accepted", null],
  ]);
  assert.deepEqual(await ownOf(ann, id), [["Ann's phone", "accepted", null]]);
  assert.deepEqual(await ownOf(adam, id), []);
  for (const manager of [ann, adam]) {
    const { items } = await manager.client.notifications.deliveries(id);
    assert.deepEqual(told(items)[0], ["Bob's phone", "gone", "Bob"]);
    assert.deepEqual(new Set(items.map(({ owner }) => owner?.name)), new Set(["Ann", "Bob"]));
    assert.equal(items[0]?.owner?.accountId, await memberIdOf(manager, team.id, bob));
    const { deliveries } = await manager.client.notifications.get(id);
    assert.deepEqual(told(deliveries), told(items));
  }
  const [first] = (await bob.client.feed.deliveries(id)).items;
  assert.equal(first?.attemptHistory.at(-1)?.outcome, "gone");
  await assert.rejects(bob.client.notifications.get(id), { status: 404 });
  const eve = await signUp(app, "Eve");
  await assert.rejects(eve.client.feed.deliveries(id), { status: 404 });
});

test("the owner of a device is told after they left, and the devices of one's own notifications have none", async (t) => {
  const { ann, bob, team, alarm } = await scene(t);
  const id = await alarm();
  await recordOnce(ann.client, id, isOver);
  await bob.client.teams.leave(team.id);
  const { items } = await ann.client.notifications.deliveries(id);
  assert.equal(items.filter(({ owner }) => owner?.name === "Bob").length, 2);
  assert.equal((await ownOf(bob, id)).length, 2);
  const own = idOf(await ann.client.notify(ALARM));
  await recordOnce(ann.client, own, isOver);
  assert.deepEqual(await ownOf(ann, own), [["Ann's phone", "accepted", null]]);
  assert.deepEqual(
    told((await ann.client.notifications.get(own)).deliveries),
    await ownOf(ann, own),
  );
});

test("failures come first in every list of deliveries, then what waits, page by page", async (t) => {
  const { app, ann } = await scene(t);
  const add = (name: string) => addDevice(app, ann, name);
  const [fine, waits, gone] = [await add("Fine"), await add("Waits"), await add("Gone")];
  gone.phone.unsubscribe();
  waits.phone.script({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
  const id = idOf(await ann.client.notify(ALARM));
  const record = await recordOnce(
    ann.client,
    id,
    ({ counts }) => counts.retrying === 1 && counts.accepted === 2,
  );
  const order = ["Gone", "Waits"];
  assert.deepEqual(
    record.deliveries.slice(0, 2).map(({ deviceName }) => deviceName),
    order,
  );
  const [listed] = (await ann.client.notifications.list()).items;
  assert.deepEqual(
    listed?.deliveries.map(({ deviceId }) => deviceId),
    record.deliveries.map(({ deviceId }) => deviceId),
  );
  const paged: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const query = { limit: 1, ...(cursor === "" ? {} : { cursor }) };
    const page: { items: readonly DeliveryDetail[]; nextCursor: string | null } =
      await ann.client.notifications.deliveries(id, query);
    paged.push(...page.items.map(({ deviceId }) => deviceId));
    cursor = page.nextCursor;
  }
  assert.deepEqual(
    paged,
    record.deliveries.map(({ deviceId }) => deviceId),
  );
  assert.equal(paged.length, 4);
  assert.ok(paged.includes(fine.device.id));
  // One's own come in pages as well.
  const first = await ann.client.feed.deliveries(id, { limit: 3 });
  assert.ok(first.nextCursor !== null);
  const rest = await ann.client.feed.deliveries(id, { limit: 3, cursor: first.nextCursor });
  assert.deepEqual([first.items.length, rest.items.length, rest.nextCursor], [3, 1, null]);
});

test("the devices of a team are listed for those who manage it, page by page, with those that left", async (t) => {
  const { ann, adam, bob, team, bobsPhone, alarm } = await scene(t);
  bobsPhone.phone.unsubscribe();
  await recordOnce(ann.client, await alarm(), isOver);
  const { items } = await adam.client.teams.devices(team.id);
  const shown = items.map(({ name, owner, leftAt }) => [name, owner.name, leftAt !== null]);
  assert.deepEqual(shown, [
    ["Ann's phone", "Ann", false],
    ["Bob's phone", "Bob", true],
    ["Bob's tablet", "Bob", false],
  ]);
  assert.equal(items[1]?.owner.accountId, await memberIdOf(ann, team.id, bob));
  const first = await ann.client.teams.devices(team.id, { limit: 2 });
  assert.ok(first.nextCursor !== null);
  const rest = await ann.client.teams.devices(team.id, { limit: 2, cursor: first.nextCursor });
  assert.deepEqual([...first.items, ...rest.items], items);
  await assert.rejects(bob.client.teams.devices(team.id), { status: 403 });
  // The log is searched by a member's device, also by one that left.
  const found = await ann.client.notifications.list({
    device: bobsPhone.device.id,
    state: "failed",
  });
  assert.equal(found.items.length, 1);
  assert.equal(
    (await bob.client.notifications.list({ device: items[0]?.id ?? "" })).items.length,
    0,
  );
});

/** Principals that see the devices of a team's members, by the operations that show them. */
const MANAGERS: readonly Principal[] = ["owner", "accessToken", "pairedSession", "admin"];
const FOR_MANAGERS = ["getNotification", "listDeliveries", "listNotifications", "listTeamDevices"];

test("no operation tells anybody of the devices of others, but those who manage a team of its members'", async (t) => {
  const stage = await startStage(t);
  const { app } = stage;
  const owners = await addDevices(app, stage);
  const operations = await documented(app, "/api/app/v1/");
  const foreign = new Set<string>();
  const own = new Set<string>();
  let answers = 0;
  // Lists stand first, and are asked once there is something to list.
  for (const { operation: name, ids: idsOf, administrator } of ACCESS.toReversed()) {
    const operation = operations.get(name) ?? assert.fail(name);
    // A stream has no end, and the log of the whole server names whatever was changed by its id.
    if (operation.method !== "GET" || name === "live" || administrator !== undefined) continue;
    const ids = (await idsOf?.(stage)) ?? [];
    for (const who of PRINCIPALS) {
      const { text } = await ask(app, stage.credentials[who], { operation, ids, body: undefined });
      const person = who === "accessToken" || who === "pairedSession" ? "owner" : who;
      const told = [...owners].filter(([id]) => text.includes(id)).map(([, owner]) => owner);
      if (told.includes(person)) own.add(`${name} ${who}`);
      const others = told.filter((owner) => owner !== person);
      if (others.length > 0) foreign.add(`${name} ${who}`);
      assert.ok(!others.includes("other") && !others.includes("formerMember"), `${name} by ${who}`);
      answers += 1;
    }
  }
  const allowed = FOR_MANAGERS.flatMap((name) => MANAGERS.map((who) => `${name} ${who}`));
  assert.deepEqual([...foreign].toSorted(), allowed.toSorted());
  for (const who of ["member", "admin", "owner"]) assert.ok(own.has(`listFeedDeliveries ${who}`));
  reportFigure(t, `${answers} answers, 0 foreign devices`);
});

/** Gives everybody a device, and returns whose each is. */
async function addDevices(
  app: TestApp,
  stage: Awaited<ReturnType<typeof startStage>>,
): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  for (const who of ["owner", "admin", "member", "target", "other", "formerMember"] as const) {
    const { device } = await addDevice(app, stage[who]);
    owners.set(device.id, who);
  }
  return owners;
}
