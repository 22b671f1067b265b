import assert from "node:assert/strict";
import test from "node:test";
import { startApp } from "../support/app.ts";
import { ACCESS, type Entry } from "./access-table.ts";
import { missingId, PRINCIPALS, startStage, type Principal, type Stage } from "./stage.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** The operations of the app API that the server itself names, by their ids. */
async function documented({ app }: Pick<Stage, "app">): Promise<ReadonlyMap<string, Operation>> {
  const response = await fetch(`${app.url}/openapi.json`);
  // As OpenAPI 3.1 shapes it.
  const document = (await response.json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith("/api/app/v1/")) continue;
    for (const [method, { operationId }] of Object.entries(methods)) {
      operations.set(operationId, { method: method.toUpperCase(), path });
    }
  }
  return operations;
}

interface Asking {
  readonly operation: Operation;
  readonly ids: readonly string[];
  readonly body: unknown;
}

/** Asks once; what differs from request to request is taken out of the answer. */
async function ask({ app, credentials }: Stage, who: Principal, asking: Asking) {
  const { operation, body } = asking;
  const ids = [...asking.ids];
  const path = operation.path.replaceAll(/\{[^}]+\}/g, () => ids.shift() ?? "missing");
  const headers: Record<string, string> = { ...credentials[who] };
  const init: RequestInit = { method: operation.method, headers };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  const response = await fetch(`${app.url}${path}`, init);
  const { status } = response;
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body?.cancel();
    return { status, text: "" };
  }
  const text = await response.text();
  return { status, text: text.replace(/"requestId":"[^"]+"/, '"requestId":""') };
}

function expected(
  { statuses, isForSessions = false, isPublic = false }: Entry,
  who: Principal,
): number {
  if (who === "anonymous" || who === "revokedToken") return isPublic ? statuses.owner : 401;
  if (isForSessions && who !== "owner" && who !== "member") return 403;
  return statuses[who === "accessToken" ? "owner" : who];
}

test("every operation of the app API has an entry in access-table.ts", async (t) => {
  const app = await startApp(t);
  assert.deepEqual(
    new Set(ACCESS.map(({ operation }) => operation)),
    new Set((await documented({ app })).keys()),
  );
});

/** All of them together would take longer than one test may on a busy machine. */
const PARTS = 4;

for (let part = 0; part < PARTS; part += 1) {
  const entries = ACCESS.filter((_, index) => index % PARTS === part);
  const which = `part ${part + 1} of ${PARTS}`;
  test(`every operation of the app API says who may, and nobody else does: ${which}`, async (t) => {
    const stage = await startStage(t);
    const operations = await documented(stage);
    for (const entry of entries) {
      const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
      for (const who of PRINCIPALS) {
        const asking = {
          operation,
          ids: (await entry.ids?.(stage)) ?? [],
          body: entry.body?.(stage),
        };
        const { status, text } = await ask(stage, who, asking);
        assert.equal(status, expected(entry, who), `${entry.operation} by ${who}: ${text}`);
      }
    }
  });
}

test("what is somebody else's is answered like what never was, byte for byte", async (t) => {
  const stage = await startStage(t);
  const operations = await documented(stage);
  let compared = 0;
  for (const entry of ACCESS) {
    if (entry.ids === undefined) continue;
    const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
    const body = entry.body?.(stage);
    const ids = await entry.ids(stage);
    for (const who of ["admin", "member", "other"] as const) {
      if (entry.statuses[who] !== 404) continue;
      const foreign = await ask(stage, who, { operation, ids, body });
      const missing = await ask(stage, who, { operation, ids: ids.map(missingId), body });
      assert.deepEqual(foreign, missing, `${entry.operation} by ${who}`);
      compared += 1;
    }
    if (entry.foreign === undefined) continue;
    const [team = ""] = ids;
    const thing = await entry.foreign(stage);
    const foreign = await ask(stage, "owner", { operation, ids: [team, thing], body });
    const missing = await ask(stage, "owner", { operation, ids: [team, missingId()], body });
    assert.equal(foreign.status, 404, entry.operation);
    assert.deepEqual(foreign, missing, `${entry.operation} under a team of one's own`);
  }
  assert.ok(compared >= 40, `${compared} were compared`);
});

test("ids in a body are no way around: foreign is missing there too", async (t) => {
  const stage = await startStage(t);
  const { owner, other } = stage;
  const operations = await documented(stage);
  const device = await stage.device();
  const team = await stage.team();
  const notification = await stage.notification(owner.key);
  const bodies: readonly (readonly [string, (id: string) => unknown, string])[] = [
    ["createGroup", (id) => ({ name: "Desk", deviceIds: [id] }), device.id],
    ["createKey", (id) => ({ kind: "team", teamId: id }), team.id],
    ["markRead", (id) => ({ ids: [id] }), notification],
    ["markRead", (id) => ({ upTo: id }), notification],
  ];
  for (const [name, body, id] of bodies) {
    const operation = operations.get(name) ?? assert.fail(name);
    const foreign = await ask(stage, "other", { operation, ids: [], body: body(id) });
    const missing = await ask(stage, "other", { operation, ids: [], body: body(missingId()) });
    assert.deepEqual(foreign, missing, name);
  }
  const { items } = await owner.client.feed.list();
  assert.deepEqual(
    items.map(({ id, readAt }) => [id, readAt]),
    [[notification, null]],
  );
  const { id: groupId } = await other.client.groups.create({ name: "Mine", deviceIds: [] });
  const updateGroup = operations.get("updateGroup") ?? assert.fail();
  const answers = [device.id, missingId()].map((id) =>
    ask(stage, "other", { operation: updateGroup, ids: [groupId], body: { deviceIds: [id] } }),
  );
  const [foreign, missing] = await Promise.all(answers);
  assert.equal(foreign?.status, 400);
  assert.deepEqual(foreign, missing);
});
