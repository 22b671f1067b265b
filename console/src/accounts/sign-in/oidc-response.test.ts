import assert from "node:assert/strict";
import { test } from "node:test";
import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import { parseOidcResponse, problemOf } from "./oidc-response.ts";
import { nextAfter } from "./next.ts";

test("the identity provider's response is parsed from the query, including its issuer", () => {
  assert.deepEqual(parseOidcResponse("?state=s&code=c&iss=https%3A%2F%2Fid.example.org"), {
    kind: "code",
    input: { state: "s", code: "c", iss: "https://id.example.org" },
  });
  assert.deepEqual(parseOidcResponse("?state=s&code=c"), {
    kind: "code",
    input: { state: "s", code: "c" },
  });
  const problems = [
    ["?error=access_denied&state=s", "cancelled"],
    ["?error=server_error&code=c&state=s", "refused"],
    ["?code=c", "over"],
    ["", "over"],
  ];
  for (const [search = "", problem] of problems) {
    assert.deepEqual(parseOidcResponse(search), { kind: "problem", problem }, search);
  }
});

test("each error of the server maps to a problem that the page explains", () => {
  const errorWith = (code: string) =>
    new TocsinError({
      code,
      status: 403,
      message: "no",
      field: null,
      requestId: null,
      retryAfterMs: null,
      body: null,
    });
  assert.equal(problemOf(errorWith("forbidden")), "unconfirmed");
  assert.equal(problemOf(errorWith("invitation_required")), "invitation");
  assert.equal(problemOf(errorWith("internal")), "other");
  const fields = { operation: "finishOidc", host: "h", isTimeout: false, cause: null };
  assert.equal(problemOf(new TocsinConnectionError(fields)), "unavailable");
  assert.equal(problemOf(null), "other");
});

test("after the identity provider, the page that began the sign-in opens, never another site", () => {
  const next = (url: string, token: string | null = null) =>
    nextAfter(new URL(url, "https://push.example.org"), token);
  assert.equal(next("/sign-in"), "/");
  assert.equal(next("/sign-in?next=%2Fkeys"), "/keys");
  for (const path of [
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "https://evil.example",
    "keys",
  ]) {
    assert.equal(next(`/sign-in?next=${encodeURIComponent(path)}`), "/");
  }
  assert.equal(next("/invitation", "a b&c"), "/invitation#token=a+b%26c");
  assert.equal(next("/set-up", "secret"), "/");
});
