import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client.ts";
import { createJsonReply, formatRequest, startServer } from "./test-server.fixture.ts";

test("a device acts with its action key alone, and no error contains that key", async (t) => {
  const device = { deviceId: "d-1", actionKey: "9f3WwG_FAp5RZ5DlBKdvug" };
  const { baseUrl, requests } = await startServer(
    t,
    createJsonReply(200, { success: true, message: "Marked as read." }),
    createJsonReply(401, { success: false, message: `Refused: ${device.actionKey}.` }),
  );
  const client = createClient({ baseUrl, apiKey: "k", accessToken: "tok" });
  const act = { act: "read", notificationIds: ["n-1"] } as const;
  assert.deepEqual(await client.act(device, act), { success: true, message: "Marked as read." });
  const [request] = requests;
  assert.equal(request && formatRequest(request), `POST /api/app/v1/acts ${JSON.stringify(act)}`);
  assert.equal(request?.headers.authorization, `Device d-1.${device.actionKey}`);
  assert.equal(request?.headers["x-api-key"], undefined);
  await assert.rejects(client.act(device, act), (error: Error) => {
    assert.ok(!JSON.stringify([error, error.message]).includes(device.actionKey), error.message);
    return true;
  });
});

test("a client without a session acts by the link in an alarm email", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, {}));
  const { incidents } = createClient({ baseUrl });
  await incidents.lookByLink("t");
  await incidents.acknowledgeByLink("t");
  assert.deepEqual(requests.map(formatRequest), [
    'POST /api/app/v1/acts/by-link/look {"token":"t"}',
    'POST /api/app/v1/acts/by-link {"token":"t"}',
  ]);
});
