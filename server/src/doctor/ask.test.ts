import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { Agent, type buildConnector } from "undici";
import { closeHttp, listen } from "../../test/doubles/listen.ts";
import { ask } from "./ask.ts";

const SILENT = { kind: "silent", fault: { kind: "silent", code: null } };

test("a peer that does not connect, answer or finish counts as silent after the timeout", async (test) => {
  const server = createServer((request, response) => {
    if (request.url === "/endless") response.write("a");
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  test.after(() => closeHttp(server));
  const never: buildConnector.connector = () => {};
  const dispatchers = { plain: new Agent(), stuck: new Agent({ connect: never }) };
  test.after(() => Promise.all([dispatchers.plain.destroy(), dispatchers.stuck.destroy()]));
  const { plain, stuck } = dispatchers;
  assert.deepEqual(await ask(stuck, new URL(origin), 20), SILENT);
  assert.deepEqual(await ask(plain, new URL(origin), 200), SILENT);
  assert.deepEqual(await ask(plain, new URL("/endless", origin), 200), SILENT);
});

test("only the beginning of an answer is read", async (test) => {
  const server = createServer((_, response) => response.end("x".repeat(1_000_000)));
  const url = new URL(`http://127.0.0.1:${await listen(server)}`);
  test.after(() => closeHttp(server));
  const dispatcher = new Agent();
  test.after(() => dispatcher.destroy());
  const asked = await ask(dispatcher, url);
  assert.equal(asked.kind === "answered" ? asked.body.length : 0, 4_096);
});
