import assert from "node:assert/strict";
import test from "node:test";
import { createDatabase, ON_POSTGRES, getDatabasePort } from "../../test/support/database.ts";
import { eventually } from "../../test/support/eventually.ts";
import { createNode } from "../../test/support/create-node.ts";
import { startTcpProxy } from "../../test/support/tcp-proxy.ts";
import { startStealFreeTimer } from "../../test/support/steal-time.ts";

test(
  "nodes count each other, and a message reaches the other nodes only",
  ON_POSTGRES,
  async (t) => {
    const database = await createDatabase(t);
    const { nodes: one } = await createNode(t, database, { id: "one" });
    await one.start();
    assert.equal(one.count, 1);
    const { nodes: two } = await createNode(t, database, { id: "two" });
    await two.start();
    assert.equal(two.count, 2);
    await eventually(
      async () => one.count,
      (count) => count === 2,
    );
    const received: string[] = [];
    one.on("read", (body) => received.push(`one ${JSON.stringify(body)}`));
    two.on("read", (body) => received.push(`two ${JSON.stringify(body)}`));
    one.publish("read", { ids: ["a"] });
    two.publish("read", { ids: ["b"] });
    await eventually(
      async () => received.length,
      (count) => count >= 2,
    );
    assert.deepEqual(received.toSorted(), ['one {"ids":["b"]}', 'two {"ids":["a"]}']);
    await two.stop();
    await eventually(
      async () => one.count,
      (count) => count === 1,
    );
  },
);

test(
  "a node unseen for eight seconds is declared dead, and a deleted node returns as a new one",
  ON_POSTGRES,
  async (t) => {
    const database = await createDatabase(t);
    const { nodes: one, database: connection } = await createNode(t, database, { id: "one" });
    const { nodes: two } = await createNode(t, database, { id: "two" });
    const dead: string[] = [];
    one.onDeadNodes(async (ids) => void dead.push(...ids));
    two.onDeadNodes(async (ids) => void dead.push(...ids));
    const ageNode = (id: string, ms: number) =>
      connection.db
        .updateTable("node")
        .set((eb) => ({ seen_at: eb("seen_at", "-", ms) }))
        .where("id", "=", id)
        .execute();
    const insertNode = async (id: string) => {
      const { seen_at } = await connection.db
        .selectFrom("node")
        .select("seen_at")
        .where("id", "=", "one")
        .executeTakeFirstOrThrow();
      await connection.db
        .insertInto("node")
        .values({ id, role: "all", started_at: seen_at, seen_at })
        .execute();
    };
    await one.start();
    await insertNode("gone");
    await insertNode("slow");
    await ageNode("gone", 6_000);
    await ageNode("slow", 1_000);
    const since = performance.now();
    const getElapsedMs = startStealFreeTimer();
    await two.start();
    await eventually(
      async () => dead.length,
      (count) => count > 0,
    );
    // Last seen six seconds before: the next heartbeat comes at its death, not at the regular interval.
    const afterMs = performance.now() - since;
    assert.ok(afterMs > 1_500 && getElapsedMs() < 2_600, `${afterMs}`);
    assert.deepEqual(new Set(dead), new Set(["gone"]));
    const rows = await connection.db.selectFrom("node").select("id").orderBy("id").execute();
    assert.deepEqual(
      rows.map(({ id }) => id),
      ["one", "slow", "two"],
    );
    let rejoinCount = 0;
    two.onRejoin(() => (rejoinCount += 1));
    await connection.db.deleteFrom("node").where("id", "=", "two").execute();
    await eventually(
      async () => rejoinCount,
      (count) => count === 1,
    );
  },
);

test(
  "after an outage of the database, no node is declared dead before that node could report",
  ON_POSTGRES,
  async (t) => {
    const database = await createDatabase(t);
    const {
      nodes: one,
      database: connection,
      clock,
    } = await createNode(t, database, { id: "one" });
    const dead: number[] = [];
    one.onDeadNodes(async () => void dead.push(clock.now()));
    let heartbeats = 0;
    one.onHeartbeat(async () => void (heartbeats += 1));
    await one.start();
    assert.equal(one.isStable, true);
    const seenAt = clock.now();
    await connection.db
      .insertInto("node")
      .values({ id: "gone", role: "all", started_at: seenAt, seen_at: seenAt })
      .execute();
    // Simulates that no node could report for a minute.
    await connection.db
      .updateTable("node")
      .set((eb) => ({ seen_at: eb("seen_at", "-", 60_000) }))
      .execute();
    const heartbeatsBefore = heartbeats;
    await eventually(
      async () => heartbeats,
      (count) => count > heartbeatsBefore,
    );
    const returnedAt = clock.now();
    const getElapsedMs = startStealFreeTimer();
    assert.equal(dead.length, 0);
    // Expired leases are not claimed either: their holders may be about to report.
    assert.equal(one.isStable, false);
    await eventually(
      async () => one.isStable,
      (isStable) => isStable,
    );
    const stableAfterMs = clock.now() - returnedAt;
    assert.ok(stableAfterMs > 4_500 && getElapsedMs() < 7_000, `${stableAfterMs}`);
    assert.equal(dead.length, 0);
    await eventually(
      async () => dead.length,
      (count) => count === 1,
      { limitMs: 20_000 },
    );
    const afterMs = (dead[0] ?? 0) - returnedAt;
    assert.ok(afterMs > 7_500 && getElapsedMs() < 10_000, `${afterMs}`);
  },
);

test(
  "a node that starts after an outage declares no other node dead before that node could report",
  ON_POSTGRES,
  async (t) => {
    const database = await createDatabase(t);
    const {
      nodes: one,
      database: connection,
      clock,
    } = await createNode(t, database, { id: "one" });
    const seenAt = clock.now() - 60_000;
    await connection.db
      .insertInto("node")
      .values({ id: "gone", role: "all", started_at: seenAt, seen_at: seenAt })
      .execute();
    const dead: number[] = [];
    one.onDeadNodes(async () => void dead.push(clock.now()));
    const startedAt = clock.now();
    const getElapsedMs = startStealFreeTimer();
    await one.start();
    assert.equal(one.isStable, false);
    await eventually(
      async () => dead.length,
      (count) => count === 1,
      { limitMs: 20_000 },
    );
    assert.equal(one.isStable, true);
    const afterMs = (dead[0] ?? 0) - startedAt;
    assert.ok(afterMs > 7_500 && getElapsedMs() < 10_000, `${afterMs}`);
  },
);

test(
  "a node last seen in the future, before a clock rollback, counts as seen now",
  ON_POSTGRES,
  async (t) => {
    const database = await createDatabase(t);
    const first = await createNode(t, database, { id: "one" });
    const { nodes: one, database: connection, clock } = first;
    const { nodes: two } = await createNode(t, database, { id: "two" });
    await two.start();
    await two.stop();
    const ahead = clock.now() + 3_600_000;
    await connection.db
      .insertInto("node")
      .values({ id: "two", role: "all", started_at: ahead, seen_at: ahead })
      .execute();
    await one.start();
    const { seen_at } = await connection.db
      .selectFrom("node")
      .select("seen_at")
      .where("id", "=", "two")
      .executeTakeFirstOrThrow();
    assert.ok(seen_at < ahead - 3_000_000);
  },
);

test(
  "a node notices a lost subscription in about a second, and resubscribes when it can",
  ON_POSTGRES,
  async (t) => {
    const database = await createDatabase(t);
    assert.ok(database.location.kind === "postgres");
    const proxy = await startTcpProxy(t, getDatabasePort());
    const url = new URL(database.location.url);
    url.port = String(proxy.port);
    const { nodes: one } = await createNode(t, database, { id: "one" });
    const { nodes: two } = await createNode(t, database, { id: "two", listenUrl: url.href });
    await one.start();
    await two.start();
    assert.equal(two.isListening, true);
    let gaps = 0;
    two.onGap(() => (gaps += 1));
    const received: unknown[] = [];
    two.on("read", (body) => received.push(body));
    proxy.blackhole();
    const getElapsedMs = startStealFreeTimer();
    one.publish("read", "lost");
    await eventually(
      async () => two.isListening,
      (isListening) => !isListening,
    );
    assert.ok(getElapsedMs() < 1_300, `${getElapsedMs()} ms`);
    assert.equal(gaps, 1);
    proxy.restore();
    await eventually(
      async () => two.isListening,
      (isListening) => isListening,
    );
    assert.equal(gaps, 2);
    one.publish("read", "heard");
    await eventually(
      async () => received.length,
      (count) => count > 0,
    );
    assert.deepEqual(received, ["heard"]);
  },
);
