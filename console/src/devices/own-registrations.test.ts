import assert from "node:assert/strict";
import { test } from "node:test";
import { createOwnRegistrations } from "./own-registrations.ts";

test("a device is this page's own even if its live event arrives before the response", async () => {
  const { run, has } = createOwnRegistrations();
  const response = Promise.withResolvers<{ id: string }>();
  const registration = run(() => response.promise);
  const ownershipChecks = Promise.all([has("mine"), has("another's")]);
  response.resolve({ id: "mine" });
  assert.deepEqual(await ownershipChecks, [true, false]);
  assert.deepEqual(await registration, { id: "mine" });
});

test("a failed registration rejects and does not claim other devices", async () => {
  const { run, has } = createOwnRegistrations();
  const response = Promise.withResolvers<{ id: string }>();
  const registration = run(() => response.promise);
  const ownershipCheck = has("another's");
  response.reject(new Error("full"));
  await assert.rejects(registration, /full/);
  assert.equal(await ownershipCheck, false);
  assert.equal(await has("another's"), false);
});
