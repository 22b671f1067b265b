import assert from "node:assert/strict";
import test from "node:test";
import { startApp, signUp } from "../support/app.ts";

const LISTS = [
  "access-tokens",
  "keys",
  "devices",
  "groups",
  "teams",
  "invitations",
  "feed",
  "notifications",
];

const INVALID_QUERIES = [
  "limit=0",
  "limit=201",
  "limit=",
  "cursor=",
  "cursor=%00",
  "limit=1&limit=2",
];

test("every list has the same shape, and refuses the same invalid queries", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { token } = await ann.client.accessTokens.create({ label: "raw" });
  const headers = { authorization: `Bearer ${token}` };
  for (const list of LISTS) {
    const url = `${app.url}/api/app/v1/${list}`;
    const response = await fetch(url, { headers });
    assert.equal(response.status, 200, list);
    assert.deepEqual(Object.keys(Object(await response.json())), ["items", "nextCursor"], list);
    for (const query of INVALID_QUERIES) {
      const refusal = await fetch(`${url}?${query}`, { headers });
      assert.equal(refusal.status, 400, `${list}?${query}`);
      const { error } = Object(await refusal.json());
      assert.equal(error.code, "invalid_field");
    }
  }
});
