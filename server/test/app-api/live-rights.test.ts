import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { AUDIT_ACTIONS } from "@tocsin/sdk";
import type { Context } from "../../src/context.ts";
import { reportFigure } from "../attacks/bar.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { readRecordedActions } from "../support/recorded-events.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { ACCESS, type AccessEntry } from "./access-table.ts";
import {
  isSignedIn,
  openStream,
  signInForCookie,
  waitUntilEnded,
  type OpenStream,
} from "./credential-streams.ts";
import { ENDINGS, IS_ENDING, SIGN_IN_OPERATIONS } from "./live-endings.ts";
import { createPersonFixture, startLiveApp, type LiveFixture } from "./live-fixture.ts";
import { readOperations, requestOperation } from "./operations.ts";
import { startAppFixture, type AppFixture } from "./app-fixture.ts";

/** Maximum time that a stream outlives its credential, on every node. */
const STREAM_END_MAX_MS = 2_000;

/** The node of a stream, relative to the node on which its credential ends. */
const STREAM_NODES = [
  { location: "on the same node", isSameNode: true, options: {} },
  { location: "on another node", isSameNode: false, options: ON_POSTGRES },
] as const;

/** Returns the URL of the node on which streams are opened: of `app`, or of a new node. */
async function startStreamNode(t: TestContext, app: TestApp, isSameNode: boolean): Promise<string> {
  if (isSameNode) return app.url;
  const environment = { TOCSIN_RATE_LIMIT_PER_S: "0" };
  return (await startApp(t, { peerApp: app, environment })).url;
}

interface StreamCheck {
  readonly app: TestApp;
  readonly isSameNode: boolean;
  /** Sends a notification that every valid stream gets. */
  readonly publish: (title: string) => Promise<unknown>;
}

/** The number of notifications sent as markers so far, which makes each title unique. */
let markerCount = 0;

/**
 * Fails unless exactly the streams with an invalid credential end, in time and without later events; the others stay open.
 * Returns the ended streams and the elapsed time.
 */
async function checkStreams(
  streams: readonly OpenStream[],
  { app, isSameNode, publish }: StreamCheck,
) {
  markerCount += 1;
  const title = `marker ${markerCount}.`;
  // On the node where the credential ended, no later event may pass.
  if (isSameNode) await publish(title);
  const isValid = await Promise.all(
    streams.map(({ credential }) => isSignedIn(app.url, credential)),
  );
  const endedStreams = streams.filter((_, index) => isValid[index] === false);
  const durationMs = await waitUntilEnded(endedStreams, STREAM_END_MAX_MS);
  if (!isSameNode) await publish(title);
  assert.deepEqual(
    endedStreams.map((stream) => stream.isOpen()),
    endedStreams.map(() => false),
    "streams are still open",
  );
  for (const stream of streams.filter((_, index) => isValid[index] === true)) {
    await eventually(
      async () => stream.text(),
      (text) => text.includes(title),
    );
    assert.ok(stream.isOpen());
  }
  for (const stream of endedStreams) {
    assert.ok(!stream.text().includes(title), `the stream got a later event: ${stream.text()}`);
  }
  return { endedStreams, durationMs };
}

/** Returns the ids of valid sessions and access tokens. */
async function listValidCredentials({ database: { db } }: Context): Promise<ReadonlySet<string>> {
  const select = (table: "session" | "access_token") =>
    db
      .selectFrom(table)
      .innerJoin("account", "account.id", `${table}.account_id`)
      .select(`${table}.id`)
      .where("account.suspended_at", "is", null);
  const sessions = await select("session").execute();
  const tokens = await select("access_token").where("revoked_at", "is", null).execute();
  return new Set([...sessions, ...tokens].map(({ id }) => id));
}

for (const { location, isSameNode, options } of STREAM_NODES) {
  test(`a stream ends in time whenever its credential ends: ${location}`, options, async (t) => {
    const live = await startLiveApp(t);
    const { app, publish } = live;
    const url = await startStreamNode(t, app, isSameNode);
    let slowestMs = 0;
    for (const ending of ENDINGS) {
      const fixture = await createPersonFixture(live, { isVerified: ending.isVerified ?? true });
      await ending.prepare?.(fixture);
      const credentials = [fixture.firstSession, fixture.secondSession, fixture.token.credential];
      const streams = await Promise.all(
        credentials.map((credential) => openStream(t, { url, credential })),
      );
      const before = (await readRecordedActions(app.app.context)).length;
      await ending.perform(fixture);
      const { endedStreams, durationMs } = await checkStreams(streams, {
        app,
        isSameNode,
        publish,
      }).catch((cause) => {
        throw new Error(ending.name, { cause });
      });
      assert.ok(endedStreams.length > 0, `${ending.name}: nothing ended`);
      const recorded = (await readRecordedActions(app.app.context)).slice(before);
      if (ending.action !== null) assert.ok(recorded.includes(ending.action), ending.name);
      slowestMs = Math.max(slowestMs, durationMs);
      await Promise.all(streams.map((stream) => stream.close()));
    }
    reportFigure(t, `${ENDINGS.length} endings, at most ${Math.ceil(slowestMs)} ms ${location}`);
  });

  test(`every operation that ends a credential is listed: ${location}`, options, async (t) => {
    const fixture = await startAppFixture(t);
    const { app, owner } = fixture;
    const url = await startStreamNode(t, app, isSameNode);
    const { key } = await fixture.createTeam();
    const publish = (title: string) => owner.withKey(key).notify({ title, body: "" });
    const operations = await readOperations(app, "/api/app/v1/");
    let streams = await openStreams(t, { fixture, url });
    for (const entry of ACCESS) {
      const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
      if (operation.method === "GET") continue;
      const ids = (await entry.createIds?.(fixture)) ?? [];
      const before = await listValidCredentials(app.app.context);
      const credentials = fixture.credentials[selectCaller(entry)];
      await requestOperation(app, credentials, {
        operation,
        ids,
        body: entry.createBody?.(fixture),
      });
      const after = await listValidCredentials(app.app.context);
      const { endedStreams } = await checkStreams(streams, { app, isSameNode, publish });
      const isEnding = endedStreams.length > 0 || [...before].some((id) => !after.has(id));
      const isKnown = ENDINGS.some((ending) => ending.operation === entry.operation);
      assert.ok(!isEnding || isKnown, `${entry.operation} is missing in live-endings.ts`);
      if (endedStreams.length === 0) continue;
      await Promise.all(streams.map((stream) => stream.close()));
      streams = await openStreams(t, { fixture, url });
    }
  });
}

function selectCaller({ administratorStatus }: AccessEntry): "administrator" | "owner" {
  return administratorStatus === undefined ? "owner" : "administrator";
}

/** Opens streams of the owner with the current session, another session and an access token, and one of the admin. */
async function openStreams(t: TestContext, { fixture, url }: { fixture: AppFixture; url: string }) {
  const { app, credentials, owner } = fixture;
  const password = "password of Olga";
  const otherSession = await signInForCookie(app.url, { email: owner.email, password });
  return Promise.all(
    [credentials.owner, otherSession, credentials.accessToken, credentials.admin].map(
      (credential) => openStream(t, { url, credential }),
    ),
  );
}

test("live-endings.ts covers every operation and audit action that ends a credential", async (t) => {
  const response = await fetch(`${(await startApp(t)).url}/openapi.json`);
  // OpenAPI 3.1 defines this shape.
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const documentedIds = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/auth/") || path.startsWith("/api/app/v1/"))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
  const coveredIds = [ACCESS, ENDINGS].flat().flatMap(({ operation }) => operation ?? []);
  assert.deepEqual(new Set([...coveredIds, ...SIGN_IN_OPERATIONS]), new Set(documentedIds));
  const endingActions = AUDIT_ACTIONS.filter((action) => IS_ENDING[action]);
  assert.deepEqual(new Set(ENDINGS.flatMap(({ action }) => action ?? [])), new Set(endingActions));
});

test(
  "a stream on PostgreSQL ends even if the node that ended its credential has crashed",
  ON_POSTGRES,
  async (t) => {
    const live = await startLiveApp(t);
    const { app, publish } = live;
    const { db } = app.app.context.database;
    const now = Date.now();
    // These changes reach only the database, like those of a node that crashed before it told the other nodes.
    const endings: readonly ((fixture: LiveFixture) => {
      readonly execute: () => Promise<unknown>;
    })[] = [
      ({ accountId }) => db.deleteFrom("session").where("account_id", "=", accountId),
      ({ token: { id } }) => db.deleteFrom("access_token").where("id", "=", id),
      ({ token: { id } }) =>
        db.updateTable("access_token").set({ revoked_at: now }).where("id", "=", id),
      ({ accountId }) =>
        db.updateTable("account").set({ suspended_at: now }).where("id", "=", accountId),
    ];
    for (const endCredential of endings) {
      const fixture = await createPersonFixture(live, { isVerified: true });
      const credentials = [fixture.firstSession, fixture.token.credential];
      const streams = await Promise.all(
        credentials.map((credential) => openStream(t, { url: app.url, credential })),
      );
      await endCredential(fixture).execute();
      const { endedStreams } = await checkStreams(streams, { app, isSameNode: false, publish });
      assert.ok(endedStreams.length > 0);
    }
  },
);
