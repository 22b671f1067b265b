import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { Agent, type buildConnector } from "undici";
import { closeHttpServer, listen } from "../../test/doubles/listen.ts";
import { probe } from "./probe.ts";

const TIMED_OUT = { kind: "silent", fault: { kind: "silent", code: null } };

test("a peer that does not connect, respond or finish is silent after the timeout", async (t) => {
  const server = createServer((request, response) => {
    if (request.url === "/endless") response.write("a");
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  t.after(() => closeHttpServer(server));
  const neverConnect: buildConnector.connector = () => {};
  const dispatchers = { plain: new Agent(), stuck: new Agent({ connect: neverConnect }) };
  t.after(() => Promise.all([dispatchers.plain.destroy(), dispatchers.stuck.destroy()]));
  const { plain, stuck } = dispatchers;
  assert.deepEqual(await probe(stuck, new URL(origin), 20), TIMED_OUT);
  assert.deepEqual(await probe(plain, new URL(origin), 200), TIMED_OUT);
  assert.deepEqual(await probe(plain, new URL("/endless", origin), 200), TIMED_OUT);
});

test("only the first 4,096 bytes of a response are read", async (t) => {
  const server = createServer((_, response) => response.end("x".repeat(1_000_000)));
  const url = new URL(`http://127.0.0.1:${await listen(server)}`);
  t.after(() => closeHttpServer(server));
  const dispatcher = new Agent();
  t.after(() => dispatcher.destroy());
  const result = await probe(dispatcher, url);
  assert.equal(result.kind === "answered" ? result.body.length : 0, 4_096);
});
