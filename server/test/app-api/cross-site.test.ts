import assert from "node:assert/strict";
import test from "node:test";
import { startApp, signUp } from "../support/app.ts";
import { createSessionHeaders } from "./app-fixture.ts";

test("a cross-site request cannot use the session", async (t) => {
  const app = await startApp(t);
  const sessionHeaders = await createSessionHeaders(app, await signUp(app, "Ann"));
  const createKey = (headers: Record<string, string>) =>
    fetch(`${app.url}/api/app/v1/keys`, {
      method: "POST",
      headers: { ...sessionHeaders, "content-type": "application/json", ...headers },
      body: '{"kind":"account"}',
    });
  const crossSite = await createKey({
    origin: "https://evil.example",
    "sec-fetch-site": "cross-site",
  });
  assert.equal(crossSite.status, 403);
  const sameOrigin = await createKey({ origin: app.url, "sec-fetch-site": "same-origin" });
  assert.equal(sameOrigin.status, 201);
});
