import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { AUDIT_ACTIONS } from "@tocsin/sdk";
import type { Context } from "../../src/context.ts";
import { reportFigure } from "../bars/bar.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { recordedActions } from "../support/audit.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { ACCESS, type Entry } from "./access-table.ts";
import {
  isSignedIn,
  openStream,
  signInAt,
  untilEnded,
  type OpenStream,
} from "./live-credentials.ts";
import { ENDINGS, IS_ENDING, SIGNING_IN } from "./live-endings.ts";
import { newScene, startScenes, type Scene } from "./live-scene.ts";
import { ask, documented } from "./operations.ts";
import { startStage, type Stage } from "./stage.ts";

/** A stream outlives the right to read it by no more, on every node. */
const ENDS_WITHIN_MS = 2_000;

/** Where a stream is open, as seen from the node on which its right ends. */
const PLACES = [
  { where: "on the same node", isSame: true, options: {} },
  { where: "on another node", isSame: false, options: ON_POSTGRES },
] as const;

/** The node on which streams are open. */
async function nodeOf(t: TestContext, app: TestApp, isSame: boolean): Promise<string> {
  if (isSame) return app.url;
  const environment = { TOCSIN_RATE_LIMIT_PER_S: "0" };
  return (await startApp(t, { beside: app, environment })).url;
}

interface Judging {
  readonly app: TestApp;
  readonly isSame: boolean;
  /** Sends something that every stream gets which may. */
  readonly publish: (title: string) => Promise<unknown>;
}

let markers = 0;

/**
 * Fails unless exactly those streams end whose credential signs nobody in any more, in time and with nothing published since;
 * the others go on. Returns those that ended, and how long that took.
 */
async function judge(streams: readonly OpenStream[], { app, isSame, publish }: Judging) {
  markers += 1;
  const title = `marker ${markers}.`;
  // On the node where the right ended, nothing passes at all.
  if (isSame) await publish(title);
  const good = await Promise.all(streams.map(({ credential }) => isSignedIn(app.url, credential)));
  const over = streams.filter((_, index) => good[index] === false);
  const tookMs = await untilEnded(over, ENDS_WITHIN_MS);
  if (!isSame) await publish(title);
  assert.deepEqual(
    over.map((stream) => stream.isOpen()),
    over.map(() => false),
    "is open",
  );
  for (const stream of streams.filter((_, index) => good[index] === true)) {
    await eventually(
      async () => stream.text(),
      (text) => text.includes(title),
    );
    assert.ok(stream.isOpen());
  }
  for (const stream of over) {
    assert.ok(!stream.text().includes(title), `it got what came after: ${stream.text()}`);
  }
  return { over, tookMs };
}

/** The ids of the sessions and access tokens that sign somebody in. */
async function standing({ database: { db } }: Context): Promise<ReadonlySet<string>> {
  const of = (table: "session" | "access_token") =>
    db
      .selectFrom(table)
      .innerJoin("account", "account.id", `${table}.account_id`)
      .select(`${table}.id`)
      .where("account.suspended_at", "is", null);
  const sessions = await of("session").execute();
  const tokens = await of("access_token").where("revoked_at", "is", null).execute();
  return new Set([...sessions, ...tokens].map(({ id }) => id));
}

for (const { where, isSame, options } of PLACES) {
  test(
    `a stream ends in time by every way in which its right ends: ${where}`,
    options,
    async (t) => {
      const scenes = await startScenes(t);
      const { app, publish } = scenes;
      const url = await nodeOf(t, app, isSame);
      const slowest = { ms: 0 };
      for (const ending of ENDINGS) {
        const scene = await newScene(scenes, ending.isProved ?? true);
        await ending.prepare?.(scene);
        const credentials = [scene.first, scene.second, scene.token.credential];
        const streams = await Promise.all(
          credentials.map((credential) => openStream(t, { url, credential })),
        );
        const before = (await recordedActions(app.app.context)).length;
        await ending.perform(scene);
        const { over, tookMs } = await judge(streams, { app, isSame, publish }).catch((cause) => {
          throw new Error(ending.name, { cause });
        });
        assert.ok(over.length > 0, `${ending.name}: nothing ended`);
        const recorded = (await recordedActions(app.app.context)).slice(before);
        if (ending.action !== null) assert.ok(recorded.includes(ending.action), ending.name);
        slowest.ms = Math.max(slowest.ms, tookMs);
        await Promise.all(streams.map((stream) => stream.close()));
      }
      reportFigure(t, `${ENDINGS.length} ways, at most ${Math.ceil(slowest.ms)} ms ${where}`);
    },
  );

  test(`no operation ends a right unnoticed: ${where}`, options, async (t) => {
    const stage = await startStage(t);
    const { app, owner } = stage;
    const url = await nodeOf(t, app, isSame);
    const { key } = await stage.team();
    const publish = (title: string) => owner.withKey(key).notify({ title, body: "" });
    const operations = await documented(app, "/api/app/v1/");
    let streams = await followOwner(t, { stage, url });
    for (const entry of ACCESS) {
      const operation = operations.get(entry.operation) ?? assert.fail(entry.operation);
      if (operation.method === "GET") continue;
      const ids = (await entry.ids?.(stage)) ?? [];
      const before = await standing(app.app.context);
      const credentials = stage.credentials[askerOf(entry)];
      await ask(app, credentials, { operation, ids, body: entry.body?.(stage) });
      const after = await standing(app.app.context);
      const { over } = await judge(streams, { app, isSame, publish });
      const isEnding = over.length > 0 || [...before].some((id) => !after.has(id));
      const isKnown = ENDINGS.some((ending) => ending.operation === entry.operation);
      assert.ok(!isEnding || isKnown, `${entry.operation} is missing in live-endings.ts`);
      if (over.length === 0) continue;
      await Promise.all(streams.map((stream) => stream.close()));
      streams = await followOwner(t, { stage, url });
    }
  });
}

function askerOf({ administrator }: Entry): "administrator" | "owner" {
  return administrator === undefined ? "owner" : "administrator";
}

/** Opens streams of the owner by the session that asks, another one and an access token, and one of somebody else's. */
async function followOwner(t: TestContext, { stage, url }: { stage: Stage; url: string }) {
  const { app, credentials, owner } = stage;
  const password = "password of Olga";
  const another = await signInAt(app.url, { email: owner.email, password });
  return Promise.all(
    [credentials.owner, another, credentials.accessToken, credentials.admin].map((credential) =>
      openStream(t, { url, credential }),
    ),
  );
}

test("live-endings.ts names every operation, and every event of the audit log that ends a right", async (t) => {
  const response = await fetch(`${(await startApp(t)).url}/openapi.json`);
  // As OpenAPI 3.1 shapes it.
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const named = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/auth/") || path.startsWith("/api/app/v1/"))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
  const known = [ACCESS, ENDINGS].flat().flatMap(({ operation }) => operation ?? []);
  assert.deepEqual(new Set([...known, ...SIGNING_IN]), new Set(named));
  const ending = AUDIT_ACTIONS.filter((action) => IS_ENDING[action]);
  assert.deepEqual(new Set(ENDINGS.flatMap(({ action }) => action ?? [])), new Set(ending));
});

test(
  "on PostgreSQL a stream ends though whoever ended its right died right after",
  ON_POSTGRES,
  async (t) => {
    const scenes = await startScenes(t);
    const { app, publish } = scenes;
    const { db } = app.app.context.database;
    const now = Date.now();
    const deaths: readonly ((scene: Scene) => { readonly execute: () => Promise<unknown> })[] = [
      ({ accountId }) => db.deleteFrom("session").where("account_id", "=", accountId),
      ({ token: { id } }) => db.deleteFrom("access_token").where("id", "=", id),
      ({ token: { id } }) =>
        db.updateTable("access_token").set({ revoked_at: now }).where("id", "=", id),
      ({ accountId }) =>
        db.updateTable("account").set({ suspended_at: now }).where("id", "=", accountId),
    ];
    for (const death of deaths) {
      const scene = await newScene(scenes, true);
      const credentials = [scene.first, scene.token.credential];
      const streams = await Promise.all(
        credentials.map((credential) => openStream(t, { url: app.url, credential })),
      );
      await death(scene).execute();
      const { over } = await judge(streams, { app, isSame: false, publish });
      assert.ok(over.length > 0);
    }
  },
);
