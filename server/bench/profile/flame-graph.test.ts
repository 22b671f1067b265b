import assert from "node:assert/strict";
import test from "node:test";
import { buildCallTree, type Call } from "./call-tree.ts";
import { drawFlameGraph } from "./flame-graph.ts";
import type { CpuProfile } from "./record-profiles.ts";

const createNode = (id: number, functionName: string, url = "", children: number[] = []) => ({
  id,
  callFrame: { functionName, url },
  children,
});

const PROFILE: CpuProfile = {
  nodes: [
    createNode(1, "(root)", "", [2, 3, 6]),
    createNode(2, "(idle)"),
    createNode(3, "send", "file:///home/a/server/src/notifications/send.ts", [4, 5]),
    createNode(4, "accept", "file:///home/a/server/src/delivery/accept/accept.ts"),
    createNode(5, "", "file:///home/a/node_modules/pino/pino.js"),
    createNode(6, "send", "file:///home/a/server/src/notifications/send.ts"),
  ],
  samples: [2, 3, 4, 4, 5, 6],
  timeDeltas: [1_000, 100, 250, 350, 200, 100],
};

test("a call tree adds up the time of equal stacks, without idle time", () => {
  const tree = buildCallTree(PROFILE, "main thread");
  assert.deepEqual(listCalls(tree), [
    ["main thread", "", 1_000],
    ["send", "notifications/send.ts", 1_000],
    ["accept", "delivery/accept/accept.ts", 600],
    ["(anonymous)", "node_modules/pino/pino.js", 200],
  ]);
});

test("a flame graph has a box for each call, as wide as its share, and escapes its title", () => {
  const tree = buildCallTree(PROFILE, "main thread");
  const svg = drawFlameGraph("A & B", [tree]);
  assert.match(svg, /aria-label="A &amp; B"/);
  assert.match(
    svg,
    /<title>accept delivery\/accept\/accept\.ts, 60\.0 %<\/title><rect class="o0" x="0\.0" y="86" width="720\.0"/,
  );
  assert.match(
    svg,
    /<title>\(anonymous\) node_modules\/pino\/pino\.js, 20\.0 %<\/title><rect class="o5" x="720\.0"/,
  );
  assert.equal(svg.match(/<g>/g)?.length, 4);
});

function listCalls({ functionName, file, totalUs, callees }: Call): (readonly unknown[])[] {
  return [[functionName, file, totalUs], ...[...callees.values()].flatMap(listCalls)];
}
