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

/** Checks an error of the notification or app API; one of the management API is only a code string. */
function checkErrorObject(response: TestResponse, [name, , status, code, field]: ErrorCase): void {
  const { success, message, error, ...extra } = JSON.parse(response.text);
  assert.equal(response.status, status, name);
  assert.deepEqual([success, error.code, error.field, extra], [false, code, field, {}], name);
  assert.ok(typeof message === "string" && message !== "", name);
  const { requestId, code: _code, field: _field, ...otherMembers } = error;
  assert.match(requestId, REQUEST_ID);
  assert.equal(response.headers["x-request-id"], requestId);
  assert.deepEqual(otherMembers, {});
}

function checkErrorCode(response: TestResponse, [name, , status, code]: ErrorCase): void {
  const { success, message, error, ...extra } = JSON.parse(response.text);
  assert.equal(response.status, status, name);
  assert.deepEqual([success, error, extra], [false, code, {}], name);
  assert.ok(typeof message === "string" && message !== "", name);
}

async function checkCases(
  app: Pick<TestApp, "url">,
  cases: readonly ErrorCase[],
  checkError: typeof checkErrorObject,
) {
  for (const errorCase of cases) checkError(await requestJson(app.url, errorCase[1]), errorCase);
}

test("the notification API has one shape of errors", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const teamKey = (await client.teams.create({ name: "Ops" })).key;
  const POST = (path: string, apiKey: string, body: unknown = HELLO): TestRequest => ({
    method: "POST",
    path: `/api/v1${path}`,
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body,
  });
  await checkCases(
    app,
    [
      ["missing key", POST("/notify", ""), 401, "missing_key"],
      ["invalid key", POST("/notify", "x"), 401, "invalid_key"],
      ["key of a team", POST("/notify/group/g", teamKey), 401, "wrong_key_kind"],
      ["unknown group", POST("/notify/group/g", key), 400, "unknown_group"],
      ["no JSON", POST("/notify-async", key, "{"), 400, "invalid_json"],
      [
        "field",
        POST(`/notify/${key}`, "", { ...HELLO, sound: "x" }),
        400,
        "invalid_field",
        "sound",
      ],
      ["not found", POST("/nothing", key), 404, "not_found"],
      ["method", { ...POST("/notify", key), method: "PUT" }, 405, "method_not_allowed"],
      ["path", POST("/notify/group/%zz", key), 400, "invalid_request"],
    ],
    checkErrorObject,
  );
});

test("the management API has one shape of errors", async (t) => {
  const app = await startApp(t);
  const { key, client, email } = await signUp(app, "Ann");
  const { key: team } = await client.teams.create({ name: "Ops" });
  const DELETE = (
    apiKey: string,
    body: unknown,
    extra: TestRequest["headers"] = {},
  ): TestRequest => ({
    method: "DELETE",
    path: "/api/management/v1/teams/invite",
    headers: { "x-api-key": apiKey, "content-type": "application/json", ...extra },
    body,
  });
  const body = { team, email: "bob@example.org" };
  const tooLargeBody = JSON.stringify({ ...body, x: "x".repeat(300_000) });
  await checkCases(
    app,
    [
      ["missing key", DELETE("", body), 401, "missing_key"],
      ["invalid key", DELETE("<API_KEY>", body), 401, "invalid_key"],
      ["team key", DELETE(team, body), 401, "wrong_key_kind"],
      ["no JSON", DELETE(key, "{"), 400, "invalid_json"],
      [
        "type",
        DELETE(key, "{}", { "content-type": "text/plain" }),
        400,
        "unsupported_content_type",
      ],
      ["size", DELETE(key, tooLargeBody), 400, "body_too_large"],
      ["nothing", DELETE(key, ""), 400, "invalid_field"],
      ["a list", DELETE(key, []), 400, "invalid_field"],
      ["e-mail", DELETE(key, { team, email: "bob" }), 400, "invalid_email"],
      ["team", DELETE(key, { ...body, team: randomUUID() }), 400, "unknown_team"],
      ["not there", DELETE(key, body), 400, "not_found"],
      ["last owner", DELETE(key, { team, email }), 400, "last_owner"],
      [
        "method",
        { ...DELETE(key, body), method: "GET", body: undefined },
        405,
        "method_not_allowed",
      ],
      ["path", { path: "/api/management/v1/nothing" }, 404, "not_found"],
      [
        "whole URL",
        { ...DELETE("", body), path: `http://x.example${DELETE("", body).path}` },
        401,
        "missing_key",
      ],
    ],
    checkErrorCode,
  );
});

test("the app API and sign-in have one shape of errors", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const { token } = await client.accessTokens.create({ label: "tests" });
  const POST = (path: string, body: unknown, extra: TestRequest["headers"] = {}): TestRequest => ({
    method: "POST",
    path: `/api${path}`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...extra },
    body,
  });
  const GET = (path: string): TestRequest => ({ ...POST(path, undefined), method: "GET" });
  const unknownPerson = { email: "nobody@example.org", password: "a wrong password" };
  await checkCases(
    app,
    [
      [
        "invalid access token",
        POST("/app/v1/keys", { kind: "account" }, { authorization: "Bearer x" }),
        401,
        "unauthenticated",
      ],
      ["field", POST("/app/v1/keys", { kind: "x" }), 400, "invalid_field", "kind"],
      ["missing", POST("/app/v1/keys", {}), 400, "invalid_field", "kind"],
      ["no JSON", POST("/app/v1/keys", "{"), 400, "invalid_json"],
      [
        "type",
        POST("/app/v1/keys", "a=b", { "content-type": "text/plain" }),
        400,
        "unsupported_content_type",
      ],
      ["hidden", GET(`/app/v1/teams/${randomUUID()}`), 404, "not_found"],
      ["page", GET("/app/v1/keys?limit=201"), 400, "invalid_field", "limit"],
      ["method", POST("/app/v1/me", {}), 405, "method_not_allowed"],
      ["path", GET("/app/v1/nothing"), 404, "not_found"],
      [
        "e-mail",
        POST("/auth/sign-in/email", { ...unknownPerson, email: "x" }),
        400,
        "invalid_email",
        "email",
      ],
      ["password", POST("/auth/sign-in/email", unknownPerson), 401, "unauthenticated"],
      [
        "other site",
        POST("/auth/sign-out", {}, { origin: "https://evil.example" }),
        403,
        "forbidden",
      ],
      ["sign-in path", GET("/auth/nothing"), 404, "not_found"],
    ],
    checkErrorObject,
  );
  const metrics: TestRequest = { path: "/metrics", headers: { forwarded: "for=x" } };
  const withoutProxy = { url: app.ownUrl };
  await checkCases(withoutProxy, [["metrics", metrics, 401, "unauthenticated"]], checkErrorObject);
});
