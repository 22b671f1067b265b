import type { CpuProfile, ProfileNode } from "./record-profiles.ts";

/** A function of a flame graph, with the functions that it called. */
export interface Call {
  readonly functionName: string;
  /** The file, below the repository or its packages; `node:…` for Node's own; empty for V8's. */
  readonly file: string;
  /** The time in this function and in its callees, in microseconds. */
  totalUs: number;
  readonly callees: Map<string, Call>;
}

/** The names that V8 gives to samples in which no JavaScript ran. They do not count as time of a send. */
const OUTSIDE_NAMES = new Set(["(idle)", "(program)"]);

/** Returns the call tree of a thread, without the samples in which no JavaScript ran. */
export function buildCallTree({ nodes, samples, timeDeltas }: CpuProfile, root: string): Call {
  const nodesById = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const tree = createCall(root, "");
  for (const [index, id] of samples.entries()) {
    const stack = listStack(id, { nodesById, parents });
    const leaf = stack.at(-1);
    if (leaf === undefined || OUTSIDE_NAMES.has(leaf.callFrame.functionName)) continue;
    addSample(tree, stack, timeDeltas[index] ?? 0);
  }
  return tree;
}

function createCall(functionName: string, file: string): Call {
  return { functionName, file, totalUs: 0, callees: new Map() };
}

interface ProfileTree {
  readonly nodesById: ReadonlyMap<number, ProfileNode>;
  readonly parents: ReadonlyMap<number, number>;
}

/** Returns the functions of a sample from the outermost one, without V8's root. */
function listStack(leafId: number, { nodesById, parents }: ProfileTree): readonly ProfileNode[] {
  const stack: ProfileNode[] = [];
  for (let id: number | undefined = leafId; id !== undefined; id = parents.get(id)) {
    const node = nodesById.get(id);
    if (node !== undefined && node.callFrame.functionName !== "(root)") stack.unshift(node);
  }
  return stack;
}

function addSample(tree: Call, stack: readonly ProfileNode[], us: number): void {
  let call = tree;
  call.totalUs += us;
  for (const { callFrame } of stack) {
    const functionName = callFrame.functionName === "" ? "(anonymous)" : callFrame.functionName;
    const file = shortenUrl(callFrame.url);
    const key = `${functionName} ${file}`;
    const callee = call.callees.get(key) ?? createCall(functionName, file);
    call.callees.set(key, callee);
    callee.totalUs += us;
    call = callee;
  }
}

/** Returns a path below `server/src`, `sdk` or `node_modules`; other URLs stay. */
function shortenUrl(url: string): string {
  return url
    .replace(/^file:\/\/.*?\/(?=node_modules\/|sdk\/|server\/)/, "")
    .replace(/^server\/src\//, "");
}
