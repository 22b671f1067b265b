import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { requestJson, type TestRequest } from "./http-requests.ts";

/** Starts a server where Ann has a phone, and a key for programs that speak ntfy's API. */
export async function startNtfyFixture(t: TestContext) {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const { key } = await ann.client.keys.create({ kind: "account", dialect: "ntfy" });
  const bearer = { authorization: `Bearer ${key}` };
  const post = ({ headers = {}, ...request }: Partial<TestRequest>) =>
    requestJson(app.url, {
      method: "POST",
      path: "/backups",
      headers: { ...bearer, ...headers },
      ...request,
    });
  const listFeed = async () => (await ann.client.feed.list()).items;
  const readFirst = async () => (await listFeed())[0] ?? assert.fail("The feed is empty.");
  return { app, ann, phone, key, post, listFeed, readFirst };
}
