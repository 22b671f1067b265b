import assert from "node:assert/strict";
import test from "node:test";
import type { Delivery } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { areDeliveriesFinished, waitForRecord } from "../support/notification-records.ts";

const PHONE = { client: "ntfy", name: "Pixel 8", platform: "android" } as const;

test("a delivery to an app says how and when it was proven, and no other delivery has a proof", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const browser = await addDevice(app, ann);
  const { device, topic, password } = await ann.client.devices.addApp(PHONE);
  const authorization = `Basic ${Buffer.from(`ann:${password}`).toString("base64")}`;
  const fetchMessages = (query: string, signal: AbortSignal | null = null) =>
    fetch(`${app.url}/${topic}/json${query}`, { headers: { authorization }, signal });
  const { id } = await ann.client.notifications.send({ title: "Hello", body: "World" });
  assert.ok(id !== null);
  const findAppDelivery = (deliveries: readonly Delivery[]) =>
    deliveries.find(({ deviceId }) => deviceId === device.id);
  const waitForAppDelivery = async (isReady: (delivery: Delivery) => boolean) => {
    const record = await waitForRecord(ann.client, id, ({ deliveries }) => {
      const found = findAppDelivery(deliveries);
      return found !== undefined && isReady(found);
    });
    return findAppDelivery(record.deliveries);
  };
  const waiting = await waitForAppDelivery(({ state }) => state === "held");
  assert.ok(waiting !== undefined && !("proof" in waiting));

  const controller = new AbortController();
  await fetchMessages("", controller.signal);
  const written = await waitForAppDelivery(({ state }) => state === "accepted");
  assert.deepEqual(written?.proof, { how: "written", at: written?.updatedAt });
  controller.abort();
  await (await fetchMessages(`?poll=1&since=${id}`)).text();
  const resumed = await waitForAppDelivery(({ proof }) => proof?.how !== "written");
  assert.deepEqual(resumed?.proof, { how: "resumed", at: resumed?.updatedAt });
  assert.ok((resumed?.updatedAt ?? "") >= (written?.updatedAt ?? ""));

  const record = await waitForRecord(ann.client, id, areDeliveriesFinished);
  const other = record.deliveries.find(({ deviceId }) => deviceId === browser.device.id);
  assert.ok(other?.state === "accepted" && !("proof" in other));
  const { items: feedDeliveries } = await ann.client.feed.deliveries(id);
  const [listed] = (await ann.client.notifications.list()).items;
  for (const deliveries of [feedDeliveries, listed?.deliveries ?? []]) {
    const { proof } = findAppDelivery(deliveries) ?? {};
    assert.deepEqual(proof, resumed?.proof);
  }
});
