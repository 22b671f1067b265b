import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { parseErrorCode, parseError, HELLO, post } from "./http-requests.ts";

test("X-TTL accepts 1 to 2,419,200 whole seconds, one day by default", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  assert.equal(
    (await post(app.url, { key: ann.key, headers: { "x-ttl": "1" }, body: HELLO })).status,
    200,
  );
  const { phone } = await addDevice(app, ann);
  const cases = { 60: 60, 2419200: 2_419_200, "": 86_400 };
  for (const [value, seconds] of Object.entries(cases)) {
    const headers = { "x-ttl": value };
    assert.equal((await post(app.url, { key: ann.key, headers, body: HELLO })).status, 200, value);
    const { ttlSeconds } = await phone.next();
    assert.ok(ttlSeconds === seconds || ttlSeconds === seconds - 1, `${value}: ${ttlSeconds}`);
  }
  for (const value of ["0", "-1", "2419201", "1.5", "1e3", "0x10", "soon", "1,2"]) {
    const headers = { "x-ttl": value };
    const response = await post(app.url, { key: ann.key, headers, body: HELLO });
    const { field } = parseError(response);
    assert.deepEqual(
      [response.status, parseErrorCode(response), field],
      [400, "invalid_field", "X-TTL"],
      value,
    );
  }
});
