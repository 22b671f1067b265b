import assert from "node:assert/strict";
import { test } from "node:test";
import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import { oidcAnswerIn, problemOf } from "./oidc-answer.ts";
import { nextAfter } from "./next.ts";

test("the answer of the identity provider is read from the address, its name included", () => {
  assert.deepEqual(oidcAnswerIn("?state=s&code=c&iss=https%3A%2F%2Fid.example.org"), {
    kind: "code",
    input: { state: "s", code: "c", iss: "https://id.example.org" },
  });
  assert.deepEqual(oidcAnswerIn("?state=s&code=c"), {
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
    assert.deepEqual(oidcAnswerIn(search), { kind: "problem", problem }, search);
  }
});

test("a refusal of the server has a cause that a person can mend", () => {
  const refusal = (code: string) =>
    new TocsinError({
      code,
      status: 403,
      message: "no",
      field: null,
      requestId: null,
      retryAfterMs: null,
      body: null,
    });
  assert.equal(problemOf(refusal("forbidden")), "unconfirmed");
  assert.equal(problemOf(refusal("invitation_required")), "invitation");
  assert.equal(problemOf(refusal("internal")), "other");
  const fields = { operation: "finishOidc", host: "h", isTimeout: false, cause: null };
  assert.equal(problemOf(new TocsinConnectionError(fields)), "unavailable");
  assert.equal(problemOf(null), "other");
});

test("after the identity provider it goes on where it began, and never elsewhere", () => {
  const next = (path: string, token: string | null = null) =>
    nextAfter(new URL(path, "https://push.example.org"), token);
  assert.equal(next("/sign-in"), "/");
  assert.equal(next("/sign-in?next=%2Fkeys"), "/keys");
  for (const elsewhere of [
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "https://evil.example",
    "keys",
  ]) {
    assert.equal(next(`/sign-in?next=${encodeURIComponent(elsewhere)}`), "/");
  }
  assert.equal(next("/invitation", "a b&c"), "/invitation#token=a+b%26c");
  assert.equal(next("/set-up", "secret"), "/");
});
