import assert from "node:assert/strict";
import { test } from "node:test";
import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import { parseOidcResponse, toOidcProblem } from "./oidc-response.ts";

test("the identity provider's code is parsed from the query, with its issuer if it names one", () => {
  assert.deepEqual(parseOidcResponse("?state=s&code=c&iss=https%3A%2F%2Fid.example.org"), {
    kind: "code",
    input: { state: "s", code: "c", iss: "https://id.example.org" },
  });
  assert.deepEqual(parseOidcResponse("?state=s&code=c"), {
    kind: "code",
    input: { state: "s", code: "c" },
  });
});

test("a response with an error, or without a code or a state, is a problem", () => {
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
