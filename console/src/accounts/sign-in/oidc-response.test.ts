import assert from "node:assert/strict";
import { test } from "node:test";
import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import { parseOidcResponse, toOidcProblem } from "./oidc-response.ts";
import { getNextPath } from "./next-path.ts";

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
    ["?code=c", "expired"],
    ["", "expired"],
  ];
  for (const [search = "", problem] of problems) {
    assert.deepEqual(parseOidcResponse(search), { kind: "problem", problem }, search);
  }
});

test("an error maps to a problem that the page explains, or otherwise to other", () => {
  const createError = (code: string) =>
    new TocsinError({
      code,
      status: 403,
      message: "no",
      field: null,
      requestId: null,
      retryAfterMs: null,
      body: null,
    });
  assert.equal(toOidcProblem(createError("forbidden")), "unconfirmed");
  assert.equal(toOidcProblem(createError("invitation_required")), "invitation");
  assert.equal(toOidcProblem(createError("internal")), "other");
  const fields = { operation: "finishOidc", host: "h", isTimeout: false, cause: null };
  assert.equal(toOidcProblem(new TocsinConnectionError(fields)), "unavailable");
  assert.equal(toOidcProblem(null), "other");
});

test("a sign-in through the identity provider opens the page that needed it, never another site", () => {
  const getNext = (url: string, token: string | null = null) =>
    getNextPath(new URL(url, "https://push.example.org"), token);
  assert.equal(getNext("/sign-in"), "/");
  assert.equal(getNext("/sign-in?next=%2Fkeys"), "/keys");
  for (const path of [
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "https://evil.example",
    "keys",
  ]) {
    assert.equal(getNext(`/sign-in?next=${encodeURIComponent(path)}`), "/");
  }
  assert.equal(getNext("/invitation", "a b&c"), "/invitation#token=a+b%26c");
  assert.equal(getNext("/set-up", "secret"), "/");
});
