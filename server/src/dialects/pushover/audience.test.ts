import assert from "node:assert/strict";
import { test } from "node:test";
import { findDevices, narrowToDevice, toPushoverName } from "./audience.ts";

const DEVICES = (
  [
    ["1", "Ann’s Pixel 9"],
    ["2", "laptop"],
    ["3", "Büro, hinten rechts neben der Tür"],
    ["4", "twin"],
    ["5", "Twin"],
    ["6", "✨"],
  ] as const
).map(([id, name]) => ({ id, name, platform: "web" as const }));

test("a device has a name in the letters that Pushover allows", () => {
  assert.deepEqual(DEVICES.map(toPushoverName), [
    "Ann-s-Pixel-9",
    "laptop",
    "Buro-hinten-rechts-neben-",
    "twin",
    "Twin",
    "device",
  ]);
});

test("a device is found by its name, as it is or as Pushover writes it, in any letter case", () => {
  const find = (name: string) => findDevices(DEVICES, name).map(({ id }) => id);
  assert.deepEqual(find("ann’s pixel 9"), ["1"]);
  assert.deepEqual(find(" ANN-S-PIXEL-9 "), ["1"]);
  assert.deepEqual(find("twin"), ["4", "5"]);
  assert.deepEqual(find("✨"), ["6"]);
  for (const name of ["", "all", "ALL_DEVICES", "laptop,twin", "lap"]) {
    assert.deepEqual(find(name), [], name);
  }
});

test("only the name of exactly one device narrows an account to it", async () => {
  const account = { kind: "account", accountId: "a" } as const;
  const deps = { listOwnDevices: async () => DEVICES };
  const laptop = { kind: "device", accountId: "a", deviceId: "2" };
  assert.deepEqual(await narrowToDevice(deps, account, "laptop"), laptop);
  for (const name of ["", "twin", "tablet", "laptop,twin"]) {
    assert.deepEqual(await narrowToDevice(deps, account, name), account, name);
  }
  const group = { kind: "group", accountId: "a", groupId: "g" } as const;
  assert.deepEqual(await narrowToDevice(deps, group, "laptop"), group);
});
