import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { FcmService } from "../../../test/doubles/fcm/fcm-service.ts";
import * as google from "../../../test/doubles/fcm/google-errors.ts";
import type { GoogleError } from "../../../test/doubles/fcm/google-errors.ts";
import { generateServiceAccount } from "../../../test/doubles/fcm/service-account.ts";
import { startFcmFixture } from "../../../test/support/fcm-fixture.ts";
import { checkFcm } from "./check.ts";
import type { FcmDeps } from "./fcm.ts";
import { parseServiceAccount } from "./service-account.ts";

async function setUp(t: TestContext) {
  const { clock, service, deps } = await startFcmFixture(t);
  const check = async (overrides: Partial<FcmDeps> = {}) =>
    checkFcm({ ...deps, ...overrides }, AbortSignal.timeout(5_000));
  const checkOne = async (overrides: Partial<FcmDeps> = {}) => {
    const [result, ...others] = await check(overrides);
    assert.ok(result !== undefined && others.length === 0);
    assert.equal(result.subject, "fcm");
    return result;
  };
  return { clock, service, check, checkOne };
}

test("the check of working credentials is ok, and delivers nothing", async (t) => {
  const { service, checkOne } = await setUp(t);
  const result = await checkOne();
  assert.equal(result.status, "ok");
  assert.match(result.message, /tocsin-double/u);
  assert.equal(result.mend, null);
  const [request] = service.requests;
  assert.ok(request !== undefined && service.requests.length === 1);
  assert.equal(JSON.parse(request.body.toString()).validate_only, true);
});

test("each response of FCM leads to a status and advice", async (t) => {
  const { service, checkOne } = await setUp(t);
  const rows: readonly (readonly [
    response: GoogleError,
    status: "ok" | "warn" | "fail",
    advice: RegExp | null,
  ])[] = [
    [google.createMalformedTokenFieldError(), "ok", null],
    [google.createUnregisteredError(), "ok", null],
    [
      google.createApiDisabledError("p"),
      "fail",
      /^Enable the Firebase Cloud Messaging API for the project /u,
    ],
    [google.createPermissionDeniedError("p"), "fail", /^Give the service account the role /u],
    [google.createUnknownProjectError(), "fail", /^Check project_id in the key file/u],
    [google.createUnauthenticatedError("ACCESS_TOKEN_EXPIRED"), "fail", /^Create a new key /u],
    [google.createUnavailableError(), "warn", /^Check again /u],
    [google.createHtmlPage(403), "warn", /proxy/u],
    [google.createQuotaExceededError("project"), "warn", /^Check again /u],
    [google.createMessageTooBigError(), "warn", /^Send a test notification /u],
  ];
  for (const [response, status, advice] of rows) {
    service.script({ kind: "answer", ...response });
    const result = await checkOne();
    assert.equal(result.status, status, result.message);
    if (advice === null) assert.equal(result.mend, null);
    else assert.match(result.mend ?? "", advice);
    assert.match(result.message, /^\S.*[^.]\.$/u);
  }
});

test("the advice for a deleted key is a new key", async (t) => {
  const { checkOne } = await setUp(t);
  const { credentials } = generateServiceAccount("tocsin-double");
  const result = await checkOne({ credentials: parseServiceAccount(credentials) });
  assert.equal(result.status, "fail");
  assert.match(result.message, /invalid_grant/u);
  assert.match(result.mend ?? "", /^Create a new key /u);
});

test("the advice for a clock that Google refuses is to set it", async (t) => {
  const { clock, checkOne } = await setUp(t);
  clock.errorMs = 10 * 60_000;
  const result = await checkOne();
  assert.equal(result.status, "fail");
  assert.match(result.message, /10 minutes ahead\.$/u);
  assert.match(result.mend ?? "", /^Set this server's clock/u);
});

test("a clock that is off but accepted causes an additional warning", async (t) => {
  const { clock, check } = await setUp(t);
  clock.errorMs = -3 * 60_000;
  const [time, sending] = await check();
  assert.equal(time?.status, "warn");
  assert.equal(time.message, "This server's clock is 3 minutes behind.");
  assert.equal(sending?.status, "ok");
});

test("a host that cannot be reached is named", async (t) => {
  const { checkOne } = await setUp(t);
  const closedService = await FcmService.start();
  await closedService.close();
  const { host } = new URL(closedService.origin);
  for (const overrides of [{ url: closedService.origin }, { tokenUrl: closedService.tokenUrl }]) {
    const result = await checkOne(overrides);
    assert.equal(result.status, "fail");
    assert.equal(result.message, `${host} cannot be reached.`);
    assert.match(result.mend ?? "", new RegExp(`^Allow this server .* ${host}`, "u"));
  }
});

test("an HTML error page of the token endpoint is a warning", async (t) => {
  const { service, checkOne } = await setUp(t);
  service.tokenEndpoint.script({ kind: "answer", ...google.createHtmlPage(502) });
  assert.equal((await checkOne()).status, "warn");
});
