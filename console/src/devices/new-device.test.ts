import assert from "node:assert/strict";
import test from "node:test";
import i18next from "i18next";
import { texts } from "../language/de.ts";
import { toNewDevice } from "./new-device.ts";

test("a subscription without keys is refused in the person's language", async () => {
  await i18next.init({ lng: "de", resources: { de: { translation: texts } } });
  const endpoint = "https://push.example.org/1";
  // The function only reads the JSON form.
  const subscription = { endpoint, toJSON: () => ({ endpoint }) } as unknown as PushSubscription;
  assert.throws(() => toNewDevice(subscription, "Phone"), /ohne Schlüssel/);
});
