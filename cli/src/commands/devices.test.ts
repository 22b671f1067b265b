import assert from "node:assert/strict";
import { test } from "node:test";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin } from "../tocsin.fixture.ts";

test("devices lists each device with its state and last delivery", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { token } = await ann.client.accessTokens.create({ label: "devices" });
  const environment = {
    XDG_CONFIG_HOME: await createTemporaryFolder(t),
    TOCSIN_URL: app.url,
    TOCSIN_ACCESS_TOKEN: token,
  };
  const listDevices = (...args: readonly string[]) =>
    runTocsin(["devices", ...args], { environment });
  assert.match((await listDevices()).stdout, /^No device is signed in\./);
  const { device } = await addDevice(app, ann, "Ann's phone");
  const pausedDevice = await addDevice(app, ann, "携帯");
  await ann.client.notify({ title: "Hello", body: "" });
  await ann.client.devices.update(pausedDevice.device.id, { paused: true });
  const { code, stdout, stderr } = await listDevices();
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^NAME +PLATFORM +VIA +STATE +LAST DELIVERY +ID\n/);
  assert.match(
    stdout,
    new RegExp(`^Ann's phone {2}web .* on .*accepted \\d{4}-.* ${device.id}$`, "m"),
  );
  // Two characters of two columns each, and nine spaces of padding.
  assert.match(stdout, /^携帯 {9}web .* paused /m);
  const { items } = JSON.parse((await listDevices("--json")).stdout);
  assert.deepEqual(items, (await ann.client.devices.list()).items);
});
