import { createMissingId, type AppFixture } from "./app-fixture.ts";
import { expectEveryone, expectOwner } from "./expected-statuses.ts";
import { createDevice } from "./path-parameters.ts";

let endpointCount = 0;
const PUSH_KEYS = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};

/** Returns the body of a registration with a new endpoint. */
function createDeviceBody({ app }: AppFixture) {
  endpointCount += 1;
  const endpoint = `http://127.0.0.1:${app.push.port}/push/${endpointCount}`;
  return {
    name: "Phone",
    platform: "web",
    push: { provider: "webpush", endpoint, keys: PUSH_KEYS },
  };
}

/** Entries for the operations on a person's own devices. */
export const DEVICE_ENTRIES = [
  { operation: "registerDevice", statuses: expectEveryone(201), createBody: createDeviceBody },
  {
    operation: "addApp",
    statuses: expectEveryone(201),
    createBody: () => ({ client: "ntfy", name: "Phone", platform: "android" }),
  },
  {
    operation: "updateDevice",
    statuses: expectOwner(200),
    createIds: createDevice,
    createBody: () => ({ paused: true }),
  },
  { operation: "removeDevice", statuses: expectOwner(204), createIds: createDevice },
  {
    operation: "testDevice",
    statuses: expectOwner(200),
    createIds: createDevice,
    createBody: () => ({}),
  },
  {
    operation: "renewActionKey",
    statuses: expectOwner(200),
    createIds: createDevice,
    createBody: () => ({}),
  },
  // The operation accepts only a device's action key, and no caller sends one.
  {
    operation: "act",
    statuses: expectEveryone(401),
    createBody: () => ({ act: "read", notificationIds: [createMissingId()] }),
  },
] as const;
