import assert from "node:assert/strict";
import { test } from "node:test";
import { createOwnRegistrations } from "./own-registrations.ts";

test("a device is known as this page's own, also where the news of it come before the answer", async () => {
  const { run, has } = createOwnRegistrations();
  const answer = Promise.withResolvers<{ id: string }>();
  const made = run(() => answer.promise);
  const asked = Promise.all([has("mine"), has("another's")]);
  answer.resolve({ id: "mine" });
  assert.deepEqual(await asked, [true, false]);
  assert.deepEqual(await made, { id: "mine" });
});

test("a registration that fails keeps back no news, and fails for who asked", async () => {
  const { run, has } = createOwnRegistrations();
  const answer = Promise.withResolvers<{ id: string }>();
  const made = run(() => answer.promise);
  const asked = has("another's");
  answer.reject(new Error("full"));
  await assert.rejects(made, /full/);
  assert.equal(await asked, false);
  assert.equal(await has("another's"), false);
});
