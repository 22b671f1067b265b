import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { FcmService } from "../../../test/doubles/fcm/fcm-service.ts";
import * as google from "../../../test/doubles/fcm/google-errors.ts";
import type { GoogleError } from "../../../test/doubles/fcm/google-errors.ts";
import { generateServiceAccount } from "../../../test/doubles/fcm/service-account.ts";
import { startFcm } from "../../../test/support/start-fcm.ts";
import { checkFcm } from "./check.ts";
import type { FcmSettings } from "./fcm.ts";
import { parseServiceAccount } from "./service-account.ts";

async function stage(t: TestContext) {
  const { clock, service, settings } = await startFcm(t);
  const check = async (change: Partial<FcmSettings> = {}) =>
    checkFcm({ ...settings, ...change }, AbortSignal.timeout(5_000));
  const one = async (change: Partial<FcmSettings> = {}) => {
    const [found, ...rest] = await check(change);
    assert.ok(found !== undefined && rest.length === 0);
    assert.equal(found.subject, "fcm");
    return found;
  };
  return { clock, service, check, one };
}

test("credentials that work are ok, and no message is delivered", async (t) => {
  const { service, one } = await stage(t);
  const found = await one();
  assert.equal(found.status, "ok");
  assert.match(found.message, /tocsin-double/u);
  assert.equal(found.mend, null);
  const [judged] = service.judged;
  assert.ok(judged !== undefined && service.judged.length === 1);
  assert.equal(JSON.parse(judged.body.toString()).validate_only, true);
});

test("each cause of a refusal has its own advice", async (t) => {
  const { service, one } = await stage(t);
  const rows: readonly (readonly [GoogleError, "ok" | "warn" | "fail", RegExp | null])[] = [
    [google.malformedTokenByField(), "ok", null],
    [google.unregistered(), "ok", null],
    [google.apiDisabled("p"), "fail", /^Enable the Firebase Cloud Messaging API for the project /u],
    [google.permissionDenied("p"), "fail", /^Give the service account the role /u],
    [google.unknownProject(), "fail", /^Check project_id in the key file/u],
    [google.unauthenticated("ACCESS_TOKEN_EXPIRED"), "fail", /^Make a new key /u],
    [google.unavailable(), "warn", /^Run this again /u],
    [google.htmlPage(403), "warn", /proxy/u],
    [google.quotaExceeded("project"), "warn", /^Run this again /u],
    [google.messageTooBig(), "warn", /^Send a test notification /u],
  ];
  for (const [answer, status, mend] of rows) {
    service.script({ kind: "answer", ...answer });
    const found = await one();
    assert.equal(found.status, status, found.message);
    if (mend === null) assert.equal(found.mend, null);
    else assert.match(found.mend ?? "", mend);
    assert.match(found.message, /^\S.*[^.]\.$/u);
  }
});

test("a deleted key asks for another", async (t) => {
  const { one } = await stage(t);
  const { credentials } = generateServiceAccount("tocsin-double");
  const found = await one({ credentials: parseServiceAccount(credentials) });
  assert.equal(found.status, "fail");
  assert.match(found.message, /invalid_grant/u);
  assert.match(found.mend ?? "", /^Make a new key /u);
});

test("a clock that Google refuses is to be set", async (t) => {
  const { clock, one } = await stage(t);
  clock.errorMs = 10 * 60_000;
  const found = await one();
  assert.equal(found.status, "fail");
  assert.match(found.message, /10 minutes ahead\.$/u);
  assert.match(found.mend ?? "", /^Set this server's clock/u);
});

test("a clock that is off but still believed is a warning beside the rest", async (t) => {
  const { clock, check } = await stage(t);
  clock.errorMs = -3 * 60_000;
  const [time, sending] = await check();
  assert.equal(time?.status, "warn");
  assert.equal(time.message, "This server's clock is 3 minutes behind.");
  assert.equal(sending?.status, "ok");
});

test("a host that cannot be reached is named", async (t) => {
  const { service, one } = await stage(t);
  const closed = await FcmService.start();
  await closed.close();
  const { host } = new URL(closed.origin);
  for (const change of [{ url: closed.origin }, { tokenUrl: closed.tokenUrl }]) {
    const found = await one(change);
    assert.equal(found.status, "fail");
    assert.equal(found.message, `${host} cannot be reached.`);
    assert.match(found.mend ?? "", new RegExp(`^Allow this server .* ${host}`, "u"));
  }
  service.tokenEndpoint.script({ kind: "answer", ...google.htmlPage(502) });
  assert.equal((await one()).status, "warn");
});
