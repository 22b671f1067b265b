import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { followLiveEvents } from "./follow-live-events.ts";

const PASSWORD_PATTERN = /^[0-9a-z]{4}(?:-[0-9a-z]{4}){3}$/i;
const PHONE = { client: "ntfy", name: "Pixel 8", platform: "android" } as const;

test("adding an ntfy app returns everything that a person enters in it, and shows the password only then", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device, url, topic, userName, password } = await ann.client.devices.addApp(PHONE);
  assert.deepEqual(
    [device.name, device.platform, device.provider, device.endpointHost],
    ["Pixel 8", "android", "stream", null],
  );
  assert.deepEqual(device.app, {
    client: "ntfy",
    connected: false,
    lastConnectedAt: null,
    topic,
  });
  assert.deepEqual([new URL(url).origin, userName], [url, ann.email]);
  assert.match(topic, /^all-[0-9a-z]{10}$/);
  assert.match(password, PASSWORD_PATTERN);
  const page = await ann.client.devices.list();
  assert.deepEqual(page.items, [device]);
  assert.ok(!JSON.stringify(page).includes(password));
  await ann.client.devices.remove(device.id);
  assert.deepEqual((await ann.client.devices.list()).items, []);
});

test("each app has its own topic and password, and a device of a push service has no app", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const phone = await ann.client.devices.addApp(PHONE);
  const homeAssistant = { client: "other", name: "Home Assistant", platform: "web" } as const;
  const other = await ann.client.devices.addApp(homeAssistant);
  assert.notEqual(phone.topic, other.topic);
  assert.notEqual(phone.password, other.password);
  const { items } = await ann.client.devices.list();
  assert.deepEqual(
    items.map(({ app: connectedApp }) => connectedApp?.client ?? null),
    [null, "ntfy", "other"],
  );
});

test("an app of Gotify, an empty name and an unknown platform are refused with the field's name", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const add = (change: object) =>
    // Sends what the types forbid.
    ann.client.devices.addApp({ ...PHONE, ...change });
  await assert.rejects(add({ client: "gotify" }), { code: "invalid_field", field: "client" });
  await assert.rejects(add({ name: " " }), { code: "invalid_field", field: "name" });
  await assert.rejects(add({ platform: "symbian" }), { code: "invalid_field", field: "platform" });
  assert.deepEqual((await ann.client.devices.list()).items, []);
});

test("a server that does not speak ntfy's API adds no app, and names the setting", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_DIALECTS: "gotify" } });
  const ann = await signUp(app, "Ann");
  await assert.rejects(ann.client.devices.addApp(PHONE), {
    status: 400,
    code: "invalid_field",
    field: "client",
    message: /TOCSIN_DIALECTS/,
  });
});

test("a signed-in person learns which APIs of other services the server speaks", async (t) => {
  for (const [list, spoken] of [
    ["", ["ntfy", "gotify", "pushover"]],
    ["pushover,gotify", ["gotify", "pushover"]],
    ["none", []],
  ] as const) {
    const app = await startApp(t, { environment: { TOCSIN_DIALECTS: list } });
    const ann = await signUp(app, "Ann");
    assert.deepEqual((await ann.client.keys.dialects()).items, spoken);
    await assert.rejects(app.anonymous.keys.dialects(), { status: 401 });
  }
});

test("the owner's open pages learn that an app connects, and that it disconnects", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { token } = await ann.client.accessTokens.create({ label: "page" });
  const stream = await followLiveEvents(t, app, { accessToken: token });
  const { topic, password } = await ann.client.devices.addApp(PHONE);
  const controller = new AbortController();
  const authorization = `Basic ${Buffer.from(`ann:${password}`).toString("base64")}`;
  const { signal } = controller;
  await fetch(`${app.url}/${topic}/json`, { headers: { authorization }, signal });
  await stream.waitForEvents(2);
  controller.abort();
  const events = await stream.waitForEvents(3);
  const states = events.map((event) =>
    event.kind === "device" ? (event.data.device?.app?.connected ?? null) : event.kind,
  );
  assert.deepEqual(states, [false, true, false]);
});
