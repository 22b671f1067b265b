import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { startApp, signUp, type TestApp } from "../support/app.ts";
import { requestJson, HELLO, type TestResponse, type TestRequest } from "./http-requests.ts";

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type ErrorCase = readonly [
  name: string,
  request: TestRequest,
  status: number,
  code: string,
  field?: string,
];

type RequestHeaders = TestRequest["headers"];

/**
 * Asserts the form of an error of the notification or app API. An error of the management API is only a code string.
 */
function assertErrorObject(response: TestResponse, [name, , status, code, field]: ErrorCase): void {
  const { success, message, error, ...extra } = JSON.parse(response.text);
  assert.equal(response.status, status, name);
  assert.deepEqual([success, error.code, error.field, extra], [false, code, field, {}], name);
  assert.ok(typeof message === "string" && message !== "", name);
  const { requestId, code: _code, field: _field, ...otherFields } = error;
  assert.match(requestId, REQUEST_ID);
  assert.equal(response.headers["x-request-id"], requestId);
  assert.deepEqual(otherFields, {});
}

function assertErrorCode(response: TestResponse, [name, , status, code]: ErrorCase): void {
  const { success, message, error, ...extra } = JSON.parse(response.text);
  assert.equal(response.status, status, name);
  assert.deepEqual([success, error, extra], [false, code, {}], name);
  assert.ok(typeof message === "string" && message !== "", name);
}

async function assertCases(
  app: Pick<TestApp, "url">,
  cases: readonly ErrorCase[],
  assertError: typeof assertErrorObject,
) {
  for (const errorCase of cases) {
    const [, request] = errorCase;
    assertError(await requestJson(app.url, request), errorCase);
  }
}

test("the notification API has one shape of errors", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const teamKey = (await client.teams.create({ name: "Ops" })).key;
  const createPost = (path: string, apiKey: string, body: unknown = HELLO): TestRequest => ({
    method: "POST",
    path: `/api/v1${path}`,
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body,
  });
  await assertCases(
    app,
    [
      ["missing key", createPost("/notify", ""), 401, "missing_key"],
      ["invalid key", createPost("/notify", "x"), 401, "invalid_key"],
      ["team key", createPost("/notify/group/g", teamKey), 401, "wrong_key_kind"],
      ["unknown group", createPost("/notify/group/g", key), 400, "unknown_group"],
      ["no JSON", createPost("/notify-async", key, "{"), 400, "invalid_json"],
      [
        "invalid field",
        createPost(`/notify/${key}`, "", { ...HELLO, sound: "x" }),
        400,
        "invalid_field",
        "sound",
      ],
      ["unknown path", createPost("/nothing", key), 404, "not_found"],
      [
        "unsupported method",
        { ...createPost("/notify", key), method: "PUT" },
        405,
        "method_not_allowed",
      ],
      ["undecodable path", createPost("/notify/group/%zz", key), 400, "invalid_request"],
    ],
    assertErrorObject,
  );
});

test("the management API has one shape of errors", async (t) => {
  const app = await startApp(t);
  const { key, client, email } = await signUp(app, "Ann");
  const { key: team } = await client.teams.create({ name: "Ops" });
  const createDelete = (
    apiKey: string,
    body: unknown,
    extra: RequestHeaders = {},
  ): TestRequest => ({
    method: "DELETE",
    path: "/api/management/v1/teams/invite",
    headers: { "x-api-key": apiKey, "content-type": "application/json", ...extra },
    body,
  });
  const body = { team, email: "bob@example.org" };
  const tooLargeBody = JSON.stringify({ ...body, x: "x".repeat(300_000) });
  await assertCases(
    app,
    [
      ["missing key", createDelete("", body), 401, "missing_key"],
      ["invalid key", createDelete("<API_KEY>", body), 401, "invalid_key"],
      ["team key", createDelete(team, body), 401, "wrong_key_kind"],
      ["no JSON", createDelete(key, "{"), 400, "invalid_json"],
      [
        "content type",
        createDelete(key, "{}", { "content-type": "text/plain" }),
        400,
        "unsupported_content_type",
      ],
      ["large body", createDelete(key, tooLargeBody), 400, "body_too_large"],
      ["empty body", createDelete(key, ""), 400, "invalid_field"],
      ["list as a body", createDelete(key, []), 400, "invalid_field"],
      ["invalid email address", createDelete(key, { team, email: "bob" }), 400, "invalid_email"],
      ["unknown team", createDelete(key, { ...body, team: randomUUID() }), 400, "unknown_team"],
      ["not a member", createDelete(key, body), 400, "not_found"],
      ["last owner", createDelete(key, { team, email }), 400, "last_owner"],
      [
        "unsupported method",
        { ...createDelete(key, body), method: "GET", body: undefined },
        405,
        "method_not_allowed",
      ],
      ["unknown path", { path: "/api/management/v1/nothing" }, 404, "not_found"],
      [
        "whole URL",
        { ...createDelete("", body), path: `http://x.example${createDelete("", body).path}` },
        401,
        "missing_key",
      ],
    ],
    assertErrorCode,
  );
});

test("the app API and sign-in have one shape of errors", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const { token } = await client.accessTokens.create({ label: "tests" });
  const createPost = (path: string, body: unknown, extra: RequestHeaders = {}): TestRequest => ({
    method: "POST",
    path: `/api${path}`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...extra },
    body,
  });
  const createGet = (path: string): TestRequest => ({
    ...createPost(path, undefined),
    method: "GET",
  });
  const unknownPerson = { email: "nobody@example.org", password: "a wrong password" };
  await assertCases(
    app,
    [
      [
        "invalid access token",
        createPost("/app/v1/keys", { kind: "account" }, { authorization: "Bearer x" }),
        401,
        "unauthenticated",
      ],
      ["invalid field", createPost("/app/v1/keys", { kind: "x" }), 400, "invalid_field", "kind"],
      ["missing field", createPost("/app/v1/keys", {}), 400, "invalid_field", "kind"],
      ["no JSON", createPost("/app/v1/keys", "{"), 400, "invalid_json"],
      [
        "content type",
        createPost("/app/v1/keys", "a=b", { "content-type": "text/plain" }),
        400,
        "unsupported_content_type",
      ],
      ["unknown team", createGet(`/app/v1/teams/${randomUUID()}`), 404, "not_found"],
      ["page size", createGet("/app/v1/keys?limit=201"), 400, "invalid_field", "limit"],
      ["unsupported method", createPost("/app/v1/me", {}), 405, "method_not_allowed"],
      ["unknown path", createGet("/app/v1/nothing"), 404, "not_found"],
      [
        "invalid email address",
        createPost("/auth/sign-in/email", { ...unknownPerson, email: "x" }),
        400,
        "invalid_email",
        "email",
      ],
      ["wrong password", createPost("/auth/sign-in/email", unknownPerson), 401, "unauthenticated"],
      [
        "other site",
        createPost("/auth/sign-out", {}, { origin: "https://evil.example" }),
        403,
        "forbidden",
      ],
      ["unknown sign-in path", createGet("/auth/nothing"), 404, "not_found"],
    ],
    assertErrorObject,
  );
  const metrics: TestRequest = { path: "/metrics", headers: { forwarded: "for=x" } };
  const metricsCase: ErrorCase = ["metrics", metrics, 401, "unauthenticated"];
  const withoutProxy = { url: app.ownUrl };
  await assertCases(withoutProxy, [metricsCase], assertErrorObject);
});
