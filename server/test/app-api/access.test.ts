import assert from "node:assert/strict";
import test from "node:test";
import { reportFigure } from "../attacks/bar.ts";
import { startApp } from "../support/app.ts";
import { readAuditText, readRecordedActions } from "../support/recorded-events.ts";
import { ACCESS, type AccessEntry } from "./access-table.ts";
import { findSecrets } from "./find-secrets.ts";
import { readOperations, requestOperation, type OperationRequest } from "./operations.ts";
import { PAIRED_SESSION_STATUSES } from "./paired-session.ts";
import { ResourceIds } from "./resource-ids.ts";
import {
  createMissingId,
  PRINCIPALS,
  startAppFixture,
  type Principal,
  type AppFixture,
} from "./app-fixture.ts";

const APP_API = "/api/app/v1/";

/** Sends a request as a principal; removes the request id from the response. */
async function requestAs(
  { app, credentials }: AppFixture,
  principal: Principal,
  request: OperationRequest,
) {
  const { status, text } = await requestOperation(app, credentials[principal], request);
  return { status, text: text.replace(/"requestId":"[^"]+"/, '"requestId":""') };
}

/** Principals that use a session, like browsers. */
const SESSION_PRINCIPALS: readonly Principal[] = [
  "owner",
  "member",
  "formerMember",
  "administrator",
];

function getExpectedStatus(entry: AccessEntry, principal: Principal): number {
  const { statuses, needsSession = false, isPublic = false } = entry;
  switch (principal) {
    case "anonymous":
    case "revokedToken":
      return isPublic ? statuses.owner : 401;
    case "pairedSession":
      return PAIRED_SESSION_STATUSES[entry.operation] ?? statuses.owner;
    case "accessToken":
      return needsSession ? 403 : statuses.owner;
    case "administrator":
      return entry.administratorStatus ?? getOutsiderStatus(entry);
    case "formerMember":
      return getOutsiderStatus(entry);
    case "owner":
    case "admin":
    case "member":
    case "other":
      return needsSession && !SESSION_PRINCIPALS.includes(principal) ? 403 : statuses[principal];
  }
}

/** Returns the status for an account without team or invitation. */
function getOutsiderStatus({ statuses, outsiderStatus = statuses.other }: AccessEntry): number {
  return outsiderStatus;
}

test("every operation of the app API has an entry in access-table.ts", async (t) => {
  const app = await startApp(t);
  assert.deepEqual(
    new Set(ACCESS.map(({ operation }) => operation)),
    new Set((await readOperations(app, APP_API)).keys()),
  );
});

test("paired-session.ts lists every operation that changes an account", async (t) => {
  const operations = await readOperations(await startApp(t), APP_API);
  const changingOperations = [...operations].filter(
    ([, { method, tags }]) => method !== "GET" && tags.includes("Account"),
  );
  assert.deepEqual(
    new Set(Object.keys(PAIRED_SESSION_STATUSES)),
    new Set(changingOperations.map(([id]) => id)),
  );
});

test("a paired browser must send the password to every operation that accepts one", async (t) => {
  const fixture = await startAppFixture(t);
  const operations = await readOperations(fixture.app, APP_API);
  let requestCount = 0;
  for (const entry of ACCESS) {
    const body = entry.createBody?.(fixture);
    if (typeof body !== "object" || body === null || !("password" in body)) continue;
    const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
    const withoutPassword = { ...body, password: undefined };
    const ids = (await entry.createIds?.(fixture)) ?? [];
    const { status, text } = await requestAs(fixture, "pairedSession", {
      operation,
      ids,
      body: withoutPassword,
    });
    assert.equal(status, 403, `${entry.operation}: ${text}`);
    assert.match(text, /"code":"password_required"/);
    requestCount += 1;
  }
  assert.ok(requestCount >= 6, `${requestCount} operations`);
});

/** Splits the operations into several tests, as a single test would exceed its timeout on a busy machine. */
const PART_COUNT = 4;

for (let part = 0; part < PART_COUNT; part += 1) {
  const entries = ACCESS.filter((_, index) => index % PART_COUNT === part);
  const label = `part ${part + 1} of ${PART_COUNT}`;
  test(`every operation of the app API allows only the listed principals: ${label}`, async (t) => {
    const fixture = await startAppFixture(t);
    const operations = await readOperations(fixture.app, APP_API);
    for (const entry of entries) {
      const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
      const resourceIds = new ResourceIds(fixture, { operation, entry });
      for (const principal of PRINCIPALS) {
        const request = {
          operation,
          ids: await resourceIds.getIds(),
          body: entry.createBody?.(fixture),
        };
        const { status, text } = await requestAs(fixture, principal, request);
        resourceIds.record(status);
        assert.equal(
          status,
          getExpectedStatus(entry, principal),
          `${entry.operation} by ${principal}: ${text}`,
        );
      }
    }
  });
}

/** Operations that return the audit log itself. */
const AUDIT_OPERATIONS = new Set(["listMyAudit", "exportMe"]);

test("no operation writes a secret, a name or an email address into the audit log", async (t) => {
  const fixture = await startAppFixture(t);
  const { context } = fixture.app.app;
  const operations = await readOperations(fixture.app, APP_API);
  const { owner, other } = fixture;
  const secrets = new Set([
    owner.key,
    owner.email,
    "password of Olga",
    "Olga",
    ...findSecrets(other),
  ]);
  for (const entry of ACCESS) {
    const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
    const ids = (await entry.createIds?.(fixture)) ?? [];
    const body = entry.createBody?.(fixture);
    for (const secret of findSecrets(body)) secrets.add(secret);
    for (const principal of ["owner", "other"] as const) {
      const { status, text } = await requestAs(fixture, principal, { operation, ids, body });
      if (status >= 300 || !text.startsWith("{") || AUDIT_OPERATIONS.has(entry.operation)) continue;
      for (const secret of findSecrets(JSON.parse(text))) secrets.add(secret);
    }
  }
  const recorded = await readAuditText(context);
  const actions = new Set(await readRecordedActions(context));
  assert.ok(actions.size >= 20, `${actions.size} kinds of events`);
  assert.ok(secrets.size >= 60, `${secrets.size} secrets`);
  // Ignores short strings, which may occur in any log by chance.
  const leakedSecrets = [...secrets].filter(
    (secret) => secret.length > 3 && recorded.includes(secret),
  );
  assert.deepEqual(leakedSecrets, []);
});

const STEPS = [{ afterSeconds: 0, targets: [{ kind: "team" }] }];

function createPolicyWithDevice(deviceId: string) {
  return { name: "P", steps: [{ afterSeconds: 0, targets: [{ kind: "device", deviceId }] }] };
}

/** Principals that may request another account's resources. */
const OTHER_PRINCIPALS = ["admin", "member", "other", "formerMember", "administrator"] as const;

test("another account's resource gets the same response as a missing one, byte for byte", async (t) => {
  const fixture = await startAppFixture(t);
  const operations = await readOperations(fixture.app, APP_API);
  let comparedCount = 0;
  for (const entry of ACCESS) {
    if (entry.createIds === undefined) continue;
    const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
    const body = entry.createBody?.(fixture);
    const ids = await entry.createIds(fixture);
    for (const principal of OTHER_PRINCIPALS) {
      if (getExpectedStatus(entry, principal) !== 404) continue;
      const hiddenResponse = await requestAs(fixture, principal, { operation, ids, body });
      const missingResponse = await requestAs(fixture, principal, {
        operation,
        ids: ids.map(createMissingId),
        body,
      });
      assert.deepEqual(hiddenResponse, missingResponse, `${entry.operation} by ${principal}`);
      comparedCount += 1;
    }
    if (entry.createForeignId === undefined) continue;
    const [team = ""] = ids;
    const foreignId = await entry.createForeignId(fixture);
    const hiddenResponse = await requestAs(fixture, "owner", {
      operation,
      ids: [team, foreignId],
      body,
    });
    const missingResponse = await requestAs(fixture, "owner", {
      operation,
      ids: [team, createMissingId()],
      body,
    });
    assert.equal(hiddenResponse.status, 404, entry.operation);
    assert.deepEqual(
      hiddenResponse,
      missingResponse,
      `${entry.operation} below the caller's own team`,
    );
  }
  assert.ok(comparedCount >= 80, `${comparedCount} pairs were compared`);
  reportFigure(t, `${PRINCIPALS.length} principals, ${ACCESS.length} entries of the app API`);
  reportFigure(t, `${comparedCount} pairs of hidden and missing resources, 0 differences`);
});

test("another account's id in a body is treated like a missing one", async (t) => {
  const fixture = await startAppFixture(t);
  const { owner, other } = fixture;
  const operations = await readOperations(fixture.app, APP_API);
  const device = await fixture.registerDevice();
  const team = await fixture.createTeam();
  const notification = await fixture.sendNotification(owner.key);
  const bodies: readonly (readonly [
    operation: string,
    createBody: (id: string) => unknown,
    ownersId: string,
  ])[] = [
    ["createGroup", (id) => ({ name: "Desk", deviceIds: [id] }), device.id],
    ["createKey", (id) => ({ kind: "team", teamId: id }), team.id],
    ["createEscalationPolicy", (id) => ({ teamId: id, name: "P", steps: STEPS }), team.id],
    ["createEscalationPolicy", createPolicyWithDevice, device.id],
    ["markRead", (id) => ({ ids: [id] }), notification],
    ["markRead", (id) => ({ upTo: id }), notification],
  ];
  for (const [name, createBody, id] of bodies) {
    const operation = operations.get(name) ?? assert.fail(name);
    const hiddenResponse = await requestAs(fixture, "other", {
      operation,
      ids: [],
      body: createBody(id),
    });
    const missingResponse = await requestAs(fixture, "other", {
      operation,
      ids: [],
      body: createBody(createMissingId()),
    });
    assert.deepEqual(hiddenResponse, missingResponse, name);
  }
  const { items } = await owner.client.feed.list();
  assert.deepEqual(
    items.map(({ id, readAt }) => [id, readAt]),
    [[notification, null]],
  );
  const { id: groupId } = await other.client.groups.create({ name: "Mine", deviceIds: [] });
  const updateGroup = operations.get("updateGroup") ?? assert.fail();
  const responses = [device.id, createMissingId()].map((id) =>
    requestAs(fixture, "other", {
      operation: updateGroup,
      ids: [groupId],
      body: { deviceIds: [id] },
    }),
  );
  const [hiddenResponse, missingResponse] = await Promise.all(responses);
  assert.equal(hiddenResponse?.status, 400);
  assert.deepEqual(hiddenResponse, missingResponse);
});
