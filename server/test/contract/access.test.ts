import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { missingId, startStage, type Stage } from "../app-api/stage.ts";
import { reportFigure } from "../bars/bar.ts";
import { ask, comparable, HELLO, type Answer } from "./ask.ts";

/** The owner of the key in `x-api-key`; a revoked key and an access token have none. */
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

/** The target of an operation: the caller's own, the owner's, or one that never existed. */
interface Things {
  readonly own: string;
  readonly foreign: string;
  readonly missing: string;
}

interface Matrix {
  readonly stage: Stage;
  readonly keys: Readonly<Record<Caller, string | null>>;
  readonly groups: Readonly<Record<string, string>>;
  /** A team key of the team in which the owner, the admin and the member are. */
  readonly teamKey: string;
  /** Of a team of nobody's among the callers. */
  readonly otherTeamKey: string;
}

async function startMatrix(t: TestContext): Promise<Matrix> {
  const stage = await startStage(t);
  const { owner, admin, member, formerMember, other } = stage;
  const team = await stage.team();
  const otherTeam = await stage.administrator.client.teams.create({ name: "Others" });
  const revoked = await owner.client.keys.create({ kind: "account" });
  await owner.client.keys.remove(revoked.id);
  const { token } = await owner.client.accessTokens.create({ label: "phone" });
  const people = { owner, admin, member, formerMember, stranger: other };
  const groups: Record<string, string> = {};
  for (const [name, { client }] of Object.entries(people)) {
    groups[name] = (await client.groups.create({ name: "Desk", deviceIds: [] })).id;
  }
  return {
    stage,
    groups,
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

interface Operation {
  readonly name: string;
  readonly ask: (matrix: Matrix, key: string | null, thing: string) => Promise<Answer>;
  readonly things: (matrix: Matrix, caller: Caller) => Things;
  /** The status for one's own, and that for anything else. */
  readonly statuses: (caller: Caller) => readonly [own: number, other: number];
}

const NOBODY: ReadonlySet<Caller> = new Set(["anonymous", "revokedKey", "accessToken"]);
const MANAGERS: ReadonlySet<Caller> = new Set(["owner", "admin"]);

const headersOf = (key: string | null) => (key === null ? {} : { "x-api-key": key });
const post =
  (path: string) =>
  ({ stage }: Matrix, key: string | null) =>
    ask(stage.app.url, { method: "POST", path, headers: headersOf(key), body: HELLO });
/** Without a key there is another path. */
const byPath =
  (method: string) =>
  ({ stage }: Matrix, key: string | null) =>
    ask(stage.app.url, { method, path: `/api/v1/notify/${key ?? "none"}?title=Hello&body=World` });

const nothing = () => ({ own: "", foreign: "", missing: "" });
const forKeys = (caller: Caller) =>
  NOBODY.has(caller) ? ([401, 401] as const) : ([200, 200] as const);

function manage(method: "POST" | "DELETE"): Operation {
  return {
    name: method === "POST" ? "inviteToTeam" : "removeFromTeam",
    ask: ({ stage }, key, team) =>
      ask(stage.app.url, {
        method,
        path: "/api/management/v1/teams/invite",
        headers: headersOf(key),
        // One for each caller: what one removes another cannot.
        body: { team, email: `by-${key ?? "nobody"}@example.org` },
      }),
    things: ({ teamKey, otherTeamKey }) => ({
      own: teamKey,
      foreign: otherTeamKey,
      missing: randomUUID(),
    }),
    statuses: (caller) => {
      if (NOBODY.has(caller) || caller === "teamKey") return [401, 401];
      return MANAGERS.has(caller) ? [200, 400] : [400, 400];
    },
  };
}

/** Every operation of the notification and management APIs; those without an id are asked with none. */
const OPERATIONS: readonly Operation[] = [
  { name: "notify", ask: post("/api/v1/notify"), things: nothing, statuses: forKeys },
  { name: "notifyAsync", ask: post("/api/v1/notify-async"), things: nothing, statuses: forKeys },
  { name: "notifyWithKey", ask: byPath("POST"), things: nothing, statuses: forKeys },
  { name: "notifyWebhook", ask: byPath("GET"), things: nothing, statuses: forKeys },
  {
    name: "notifyGroup",
    ask: (matrix, key, group) => post(`/api/v1/notify/group/${group}`)(matrix, key),
    things: ({ groups }, caller) => ({
      own: groups[caller] ?? groups["owner"] ?? "",
      foreign: groups[caller === "owner" ? "stranger" : "owner"] ?? "",
      missing: missingId(),
    }),
    // A team has no groups.
    statuses: (caller) => (NOBODY.has(caller) || caller === "teamKey" ? [401, 401] : [200, 400]),
  },
  manage("POST"),
  manage("DELETE"),
];

test("the matrix has every operation of the notification and management APIs", async (t) => {
  const { stage } = await startMatrix(t);
  const document = await (await fetch(`${stage.app.url}/openapi.json`)).json();
  // As OpenAPI 3.1 shapes it.
  const { paths } = document as { paths: Record<string, Record<string, { operationId: string }>> };
  const documented = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/v1/") || path.startsWith("/api/management/"))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
  assert.deepEqual(documented.toSorted(), OPERATIONS.map(({ name }) => name).toSorted());
});

test("a key does what it may with what is its own, and foreign is missing byte for byte", async (t) => {
  const matrix = await startMatrix(t);
  let asked = 0;
  for (const operation of OPERATIONS) {
    for (const caller of CALLERS) {
      const { own, foreign, missing } = operation.things(matrix, caller);
      const answer = (thing: string) => operation.ask(matrix, matrix.keys[caller], thing);
      const what = `${operation.name} by ${caller}`;
      const [ownStatus, otherStatus] = operation.statuses(caller);
      const others = [await answer(foreign), await answer(missing)];
      const mine = await answer(own);
      assert.equal(mine.status, ownStatus, `${what}: ${mine.text}`);
      for (const { status, text } of others) assert.equal(status, otherStatus, `${what}: ${text}`);
      if (own !== "")
        assert.equal(comparable(others[0] ?? mine), comparable(others[1] ?? mine), what);
      asked += 3;
    }
  }
  reportFigure(
    t,
    `${CALLERS.length} callers, ${OPERATIONS.length} operations, ${asked} requests, 0 let through`,
  );
});
