import assert from "node:assert/strict";
import test from "node:test";
import { reportFigure } from "../bars/bar.ts";
import { startApp } from "../support/app.ts";
import { auditText, recordedActions } from "../support/audit.ts";
import { ACCESS, type Entry } from "./access-table.ts";
import { ask as askOnce, documented, type Asking } from "./operations.ts";
import { PAIRED_SESSION } from "./paired-session.ts";
import { missingId, PRINCIPALS, startStage, type Principal, type Stage } from "./stage.ts";
import { Things } from "./things.ts";

const APP_API = "/api/app/v1/";

/** Asks once; what differs from request to request is taken out of the answer. */
async function ask({ app, credentials }: Stage, who: Principal, asking: Asking) {
  const { status, text } = await askOnce(app, credentials[who], asking);
  return { status, text: text.replace(/"requestId":"[^"]+"/, '"requestId":""') };
}

/** Callers with a session, as browsers have. */
const IN_SESSIONS: readonly Principal[] = ["owner", "member", "formerMember", "administrator"];

function expected(entry: Entry, who: Principal): number {
  const { statuses, isForSessions = false, isPublic = false } = entry;
  switch (who) {
    case "anonymous":
    case "revokedToken":
      return isPublic ? statuses.owner : 401;
    case "pairedSession":
      return PAIRED_SESSION[entry.operation] ?? statuses.owner;
    case "accessToken":
      return isForSessions ? 403 : statuses.owner;
    case "administrator":
      return entry.administrator ?? outside(entry);
    case "formerMember":
      return outside(entry);
    case "owner":
    case "admin":
    case "member":
    case "other":
      return isForSessions && !IN_SESSIONS.includes(who) ? 403 : statuses[who];
  }
}

/** To who is in no team it is as to anybody else, but for what the other one was invited to. */
function outside({ statuses, outside = statuses.other }: Entry): number {
  return outside;
}

test("every operation of the app API has an entry in access-table.ts", async (t) => {
  const app = await startApp(t);
  assert.deepEqual(
    new Set(ACCESS.map(({ operation }) => operation)),
    new Set((await documented(app, APP_API)).keys()),
  );
});

test("of everything that changes an account it is said what a paired browser may", async (t) => {
  const operations = await documented(await startApp(t), APP_API);
  const changing = [...operations].filter(
    ([, { method, tags }]) => method !== "GET" && tags.includes("Account"),
  );
  assert.deepEqual(new Set(Object.keys(PAIRED_SESSION)), new Set(changing.map(([id]) => id)));
});

test("where an operation takes the password, a paired browser must give it", async (t) => {
  const stage = await startStage(t);
  const operations = await documented(stage.app, APP_API);
  let asked = 0;
  for (const entry of ACCESS) {
    const body = entry.body?.(stage);
    if (typeof body !== "object" || body === null || !("password" in body)) continue;
    const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
    const without = { ...body, password: undefined };
    const ids = (await entry.ids?.(stage)) ?? [];
    const { status, text } = await ask(stage, "pairedSession", { operation, ids, body: without });
    assert.equal(status, 403, `${entry.operation}: ${text}`);
    assert.match(text, /"code":"password_required"/);
    asked += 1;
  }
  assert.ok(asked >= 6, `${asked} operations`);
});

/** All of them together would take longer than one test may on a busy machine. */
const PARTS = 4;

for (let part = 0; part < PARTS; part += 1) {
  const entries = ACCESS.filter((_, index) => index % PARTS === part);
  const which = `part ${part + 1} of ${PARTS}`;
  test(`every operation of the app API says who may, and nobody else does: ${which}`, async (t) => {
    const stage = await startStage(t);
    const operations = await documented(stage.app, APP_API);
    for (const entry of entries) {
      const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
      const things = new Things(stage, { operation, entry });
      for (const who of PRINCIPALS) {
        const asking = { operation, ids: await things.ids(), body: entry.body?.(stage) };
        const { status, text } = await ask(stage, who, asking);
        things.note(status);
        assert.equal(status, expected(entry, who), `${entry.operation} by ${who}: ${text}`);
      }
    }
  });
}

/** The members of requests and answers that nobody else may know, and those that say who somebody is. */
const SECRETS = new Set(
  ["key", "token", "secret", "uri", "url", "link", "code", "password", "endpoint", "p256dh"].concat(
    ["auth", "email", "name", "label", "title", "body", "backupCodes", "clientDataJSON"],
  ),
);

/** Every text under such a name, and each long word in it, as the token of a link is one. */
function secretsIn(value: unknown, isSecret = false): readonly string[] {
  if (typeof value === "string") {
    return isSecret ? [value, ...(value.match(/[\w-]{16,}/g) ?? [])] : [];
  }
  if (value === null || typeof value !== "object") return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, member]) =>
    secretsIn(member, isList ? isSecret : SECRETS.has(name)),
  );
}

/** The answers of these operations are the audit log itself. */
const TELLING = new Set(["listMyAudit", "exportMe"]);

test("no operation leaves a secret, a name or an address of a person in the audit log", async (t) => {
  const stage = await startStage(t);
  const { context } = stage.app.app;
  const operations = await documented(stage.app, APP_API);
  const { owner, other } = stage;
  const secrets = new Set([
    owner.key,
    owner.email,
    "password of Olga",
    "Olga",
    ...secretsIn(other),
  ]);
  for (const entry of ACCESS) {
    const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
    const ids = (await entry.ids?.(stage)) ?? [];
    const body = entry.body?.(stage);
    for (const secret of secretsIn(body)) secrets.add(secret);
    for (const who of ["owner", "other"] as const) {
      const { status, text } = await ask(stage, who, { operation, ids, body });
      if (status >= 300 || !text.startsWith("{") || TELLING.has(entry.operation)) continue;
      for (const secret of secretsIn(JSON.parse(text))) secrets.add(secret);
    }
  }
  const [recorded, actions] = [await auditText(context), new Set(await recordedActions(context))];
  assert.ok(actions.size >= 20, `${actions.size} kinds of events`);
  assert.ok(secrets.size >= 60, `${secrets.size} secrets`);
  // Of two characters, such as a name, every log has some.
  const told = [...secrets].filter((secret) => secret.length > 3 && recorded.includes(secret));
  assert.deepEqual(told, []);
});

/** To whom what is asked about may be somebody else's. */
const STRANGERS = ["admin", "member", "other", "formerMember", "administrator"] as const;

test("another person's thing is answered like one that never was, byte for byte", async (t) => {
  const stage = await startStage(t);
  const operations = await documented(stage.app, APP_API);
  let compared = 0;
  for (const entry of ACCESS) {
    if (entry.ids === undefined) continue;
    const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
    const body = entry.body?.(stage);
    const ids = await entry.ids(stage);
    for (const who of STRANGERS) {
      if (expected(entry, who) !== 404) continue;
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
  assert.ok(compared >= 80, `${compared} were compared`);
  reportFigure(t, `${PRINCIPALS.length} principals, ${ACCESS.length} entries of the app API`);
  reportFigure(t, `${compared} pairs of foreign and missing, 0 differences`);
});

test("ids in a body are no way around: foreign is missing there too", async (t) => {
  const stage = await startStage(t);
  const { owner, other } = stage;
  const operations = await documented(stage.app, APP_API);
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
