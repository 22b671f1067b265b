import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { createMissingId, startAppFixture, type AppFixture } from "../app-api/app-fixture.ts";
import { reportFigure } from "../attacks/bar.ts";
import { requestJson, toComparable, HELLO, type TestResponse } from "./http-requests.ts";

/** Credentials in `x-api-key`. The name of a person stands for their account key. */
const CALLERS = [
  "anonymous",
  "owner",
  "admin",
  "member",
  "formerMember",
  "stranger",
  "teamKey",
  "revokedKey",
  "accessToken",
] as const;
type Caller = (typeof CALLERS)[number];

/** Targets of an operation: the caller's own, another account's, and a missing one. */
interface TargetIds {
  readonly own: string;
  readonly foreign: string;
  readonly missing: string;
}

/** An app with callers, their keys and their targets. */
interface AccessMatrix {
  readonly fixture: AppFixture;
  readonly keys: Readonly<Record<Caller, string | null>>;
  readonly groups: Readonly<Record<string, string>>;
  /** The incident that each valid key opened, by caller. */
  readonly incidents: Readonly<Record<string, string>>;
  /** The prompt that each valid key opened, by caller. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Key of a team with the owner, the admin and the member. */
  readonly teamKey: string;
  /** Key of a team without any of the callers. */
  readonly otherTeamKey: string;
}

async function createAccessMatrix(t: TestContext): Promise<AccessMatrix> {
  const fixture = await startAppFixture(t);
  const { owner, admin, member, formerMember, other } = fixture;
  const team = await fixture.createTeam();
  const otherTeam = await fixture.administrator.client.teams.create({ name: "Others" });
  const revoked = await owner.client.keys.create({ kind: "account" });
  await owner.client.keys.remove(revoked.id);
  const { token } = await owner.client.accessTokens.create({ label: "phone" });
  const people = { owner, admin, member, formerMember, stranger: other };
  const groups: Record<string, string> = {};
  for (const [name, { client }] of Object.entries(people)) {
    groups[name] = (await client.groups.create({ name: "Desk", deviceIds: [] })).id;
  }
  const incidents: Record<string, string> = {};
  const prompts: Record<string, string> = {};
  const keysByName = { ...listKeysByName(people), teamKey: team.key };
  for (const [name, key] of Object.entries(keysByName)) {
    const { incidentId } = await owner.withKey(key).notify({ ...HELLO, priority: "emergency" });
    incidents[name] = incidentId ?? "";
    const { promptId } = await owner.withKey(key).notify({ ...HELLO, choices: ["yes", "no"] });
    prompts[name] = promptId ?? "";
  }
  return {
    fixture,
    groups,
    incidents,
    prompts,
    teamKey: team.key,
    otherTeamKey: otherTeam.key,
    keys: {
      anonymous: null,
      owner: owner.key,
      admin: admin.key,
      member: member.key,
      formerMember: formerMember.key,
      stranger: other.key,
      teamKey: team.key,
      revokedKey: revoked.key,
      accessToken: token,
    },
  };
}

function listKeysByName(people: Readonly<Record<string, { readonly key: string }>>) {
  return Object.fromEntries(Object.entries(people).map(([name, { key }]) => [name, key]));
}

interface Operation {
  readonly name: string;
  readonly send: (
    matrix: AccessMatrix,
    key: string | null,
    targetId: string,
  ) => Promise<TestResponse>;
  readonly createTargets: (matrix: AccessMatrix, caller: Caller) => TargetIds;
  /** Expected statuses for the caller's own target and for any other. */
  readonly getStatuses: (caller: Caller) => readonly [own: number, other: number];
}

const WITHOUT_VALID_KEY: ReadonlySet<Caller> = new Set(["anonymous", "revokedKey", "accessToken"]);
const MANAGERS: ReadonlySet<Caller> = new Set(["owner", "admin"]);

const createKeyHeaders = (key: string | null) => (key === null ? {} : { "x-api-key": key });
const createPostSender =
  (path: string) =>
  ({ fixture }: AccessMatrix, key: string | null) =>
    requestJson(fixture.app.url, {
      method: "POST",
      path,
      headers: createKeyHeaders(key),
      body: HELLO,
    });
/** Sends the key in the path; `none` without a key. */
const createPathSender =
  (method: string) =>
  ({ fixture }: AccessMatrix, key: string | null) =>
    requestJson(fixture.app.url, {
      method,
      path: `/api/v1/notify/${key ?? "none"}?title=Hello&body=World`,
    });

const createNoTargets = () => ({ own: "", foreign: "", missing: "" });
const expectAnyKey = (caller: Caller) =>
  WITHOUT_VALID_KEY.has(caller) ? ([401, 401] as const) : ([200, 200] as const);

function createManagementOperation(method: "POST" | "DELETE"): Operation {
  return {
    name: method === "POST" ? "inviteToTeam" : "removeFromTeam",
    send: ({ fixture }, key, team) =>
      requestJson(fixture.app.url, {
        method,
        path: "/api/management/v1/teams/invite",
        headers: createKeyHeaders(key),
        // A different address per caller, as each can be removed only once.
        body: { team, email: `by-${key ?? "anonymous"}@example.org` },
      }),
    createTargets: ({ teamKey, otherTeamKey }) => ({
      own: teamKey,
      foreign: otherTeamKey,
      missing: randomUUID(),
    }),
    getStatuses: (caller) => {
      if (WITHOUT_VALID_KEY.has(caller) || caller === "teamKey") return [401, 401];
      return MANAGERS.has(caller) ? [200, 400] : [400, 400];
    },
  };
}

/** An operation on an incident or a prompt that the caller's key opened. */
function createReceiptOperation(
  name: string,
  subjects: "incidents" | "prompts",
  createRequest: (id: string) => {
    readonly method: string;
    readonly path: string;
    readonly body?: unknown;
  },
): Operation {
  return {
    name,
    send: ({ fixture }, key, id) =>
      requestJson(fixture.app.url, {
        ...createRequest(id),
        headers: createKeyHeaders(key),
      }),
    createTargets: ({ [subjects]: ids }, caller) => ({
      own: ids[caller] ?? ids["owner"] ?? "",
      foreign: ids[caller === "owner" ? "stranger" : "owner"] ?? "",
      missing: createMissingId(),
    }),
    getStatuses: (caller) => (WITHOUT_VALID_KEY.has(caller) ? [401, 401] : [200, 404]),
  };
}

/** The operations of the notification and management APIs. */
const OPERATIONS: readonly Operation[] = [
  {
    name: "notify",
    send: createPostSender("/api/v1/notify"),
    createTargets: createNoTargets,
    getStatuses: expectAnyKey,
  },
  {
    name: "notifyAsync",
    send: createPostSender("/api/v1/notify-async"),
    createTargets: createNoTargets,
    getStatuses: expectAnyKey,
  },
  {
    name: "notifyWithKey",
    send: createPathSender("POST"),
    createTargets: createNoTargets,
    getStatuses: expectAnyKey,
  },
  {
    name: "notifyWebhook",
    send: createPathSender("GET"),
    createTargets: createNoTargets,
    getStatuses: expectAnyKey,
  },
  {
    name: "notifyGroup",
    send: (matrix, key, group) => createPostSender(`/api/v1/notify/group/${group}`)(matrix, key),
    createTargets: ({ groups }, caller) => ({
      own: groups[caller] ?? groups["owner"] ?? "",
      foreign: groups[caller === "owner" ? "stranger" : "owner"] ?? "",
      missing: createMissingId(),
    }),
    // A team has no groups.
    getStatuses: (caller) =>
      WITHOUT_VALID_KEY.has(caller) || caller === "teamKey" ? [401, 401] : [200, 400],
  },
  createReceiptOperation("getIncidentReceipt", "incidents", (id) => ({
    method: "GET",
    path: `/api/v1/incidents/${id}`,
  })),
  createReceiptOperation("acknowledgeIncidentByKey", "incidents", (incidentId) => ({
    method: "POST",
    path: "/api/v1/incidents/acknowledge",
    body: { incidentId },
  })),
  createReceiptOperation("resolveIncidentByKey", "incidents", (incidentId) => ({
    method: "POST",
    path: "/api/v1/incidents/resolve",
    body: { incidentId },
  })),
  createReceiptOperation("getPromptReceipt", "prompts", (id) => ({
    method: "GET",
    path: `/api/v1/prompts/${id}`,
  })),
  createReceiptOperation("cancelPrompt", "prompts", (id) => ({
    method: "DELETE",
    path: `/api/v1/prompts/${id}`,
  })),
  createManagementOperation("POST"),
  createManagementOperation("DELETE"),
];

test("the matrix has every operation of the notification and management APIs", async (t) => {
  const { fixture } = await createAccessMatrix(t);
  const document = await (await fetch(`${fixture.app.url}/openapi.json`)).json();
  // OpenAPI 3.1 defines this shape.
  const { paths } = document as { paths: Record<string, Record<string, { operationId: string }>> };
  const documented = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/v1/") || path.startsWith("/api/management/"))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
  assert.deepEqual(documented.toSorted(), OPERATIONS.map(({ name }) => name).toSorted());
});

test("a key uses only its own targets, and another account's target gets the response of a missing one", async (t) => {
  const matrix = await createAccessMatrix(t);
  let requestCount = 0;
  for (const operation of OPERATIONS) {
    for (const caller of CALLERS) {
      const { own, foreign, missing } = operation.createTargets(matrix, caller);
      const send = (targetId: string) => operation.send(matrix, matrix.keys[caller], targetId);
      const label = `${operation.name} by ${caller}`;
      const [ownStatus, otherStatus] = operation.getStatuses(caller);
      const otherResponses = [await send(foreign), await send(missing)];
      const ownResponse = await send(own);
      assert.equal(ownResponse.status, ownStatus, `${label}: ${ownResponse.text}`);
      for (const { status, text } of otherResponses)
        assert.equal(status, otherStatus, `${label}: ${text}`);
      if (own !== "")
        assert.equal(
          toComparable(otherResponses[0] ?? ownResponse),
          toComparable(otherResponses[1] ?? ownResponse),
          label,
        );
      requestCount += 3;
    }
  }
  reportFigure(
    t,
    `${CALLERS.length} callers, ${OPERATIONS.length} operations, ${requestCount} requests, 0 let through`,
  );
});
