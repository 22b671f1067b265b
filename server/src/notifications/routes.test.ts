import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../../test/support/app.ts";

const HELLO = { title: "Hello", body: "World" };

test("a synchronous send reaches every device of the account and returns one result for each", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const firstDevice = await addDevice(app, ann, "One");
  const secondDevice = await addDevice(app, ann, "Two");
  const response = await ann.client.notify(HELLO);
  assert.equal(response.message, "Delivered to 2 of 2 devices");
  assert.equal(response.success, true);
  assert.deepEqual(
    response.responses.map(({ success }) => success),
    [true, true],
  );
  for (const { phone } of [firstDevice, secondDevice]) {
    const payload = JSON.parse((await phone.next()).text);
    assert.equal(payload.notification.title, "Hello");
    assert.equal(payload.notification.tag, response.notificationId);
  }
});
