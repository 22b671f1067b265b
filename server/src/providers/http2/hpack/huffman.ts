import { END_OF_STRING, huffmanCodes } from "./huffman-code.ts";
import { CompressionError } from "./compression-error.ts";

/** Codes are decoded four bits at a time. The shortest code has five, so each step completes at most one symbol. */
const STEP_BITS = 4;
const STEPS = 1 << STEP_BITS;
/** The last byte is padded with the first bits of the end symbol, which are all ones. */
const PADDING_MAX_BITS = 7;

const NO_SYMBOL = 0xff_ff;
const FAILED = 0xff_ff;

/** The transitions of the decoder: the next state, and the symbol that a step completes. */
interface Machine {
  readonly next: Uint16Array;
  readonly symbol: Uint16Array;
  /** 1 for each state that a string may end in. */
  readonly isEnd: Uint8Array;
}

let machine: Machine | null = null;

/** Returns the decoded string with one character per byte. Throws `CompressionError` on a malformed one. */
export function decodeHuffman(bytes: Buffer, begin: number, end: number): string {
  machine ??= buildMachine();
  const { next, symbol, isEnd } = machine;
  // The shortest code has five bits.
  const text = Buffer.allocUnsafe(Math.ceil(((end - begin) * 8) / 5));
  let length = 0;
  let state = 0;
  for (let nibble = begin * 2; nibble < end * 2; nibble += 1) {
    const byte = bytes[nibble >> 1] ?? 0;
    const bits = (nibble & 1) === 0 ? byte >> STEP_BITS : byte & (STEPS - 1);
    const step = state * STEPS + bits;
    const decoded = symbol[step] ?? NO_SYMBOL;
    if (decoded !== NO_SYMBOL) text[length++] = decoded;
    state = next[step] ?? FAILED;
    if (state === FAILED) throw new CompressionError("A string has the end symbol in it.");
  }
  if (isEnd[state] !== 1) throw new CompressionError("A string ends within a symbol.");
  return text.toString("latin1", 0, length);
}

/** A node of the code tree: two children, for the next bit 0 or 1, or a symbol. */
interface Node {
  readonly children: [Node | null, Node | null];
  symbol: number | null;
  /** The row of the node in the tables. Only inner nodes are states. */
  readonly state: number;
  readonly depth: number;
  /** True if all bits on the path to the node are ones. */
  readonly isOnes: boolean;
}

function buildMachine(): Machine {
  const inner = buildTree();
  const size = inner.length * STEPS;
  const result: Machine = {
    next: new Uint16Array(size),
    symbol: new Uint16Array(size).fill(NO_SYMBOL),
    isEnd: new Uint8Array(inner.length),
  };
  const [root] = inner;
  if (root === undefined) throw new Error("A tree has a root.");
  for (const node of inner) {
    result.isEnd[node.state] = node.isOnes && node.depth <= PADDING_MAX_BITS ? 1 : 0;
    for (let bits = 0; bits < STEPS; bits += 1) fillStep(result, { root, node, bits });
  }
  return result;
}

function fillStep(
  result: Machine,
  { root, node, bits }: { readonly root: Node; readonly node: Node; readonly bits: number },
): void {
  const step = node.state * STEPS + bits;
  let current = node;
  for (let bit = STEP_BITS - 1; bit >= 0; bit -= 1) {
    const child = current.children[(bits >> bit) & 1 ? 1 : 0];
    if (child === null || child.symbol === END_OF_STRING) {
      result.next[step] = FAILED;
      return;
    }
    if (child.symbol !== null) result.symbol[step] = child.symbol;
    current = child.symbol === null ? child : root;
  }
  result.next[step] = current.state;
}

/** Returns the inner nodes, root first. */
function buildTree(): readonly Node[] {
  const inner: Node[] = [
    { children: [null, null], symbol: null, state: 0, depth: 0, isOnes: true },
  ];
  for (const { symbol, length, bits } of huffmanCodes()) {
    let [node] = inner;
    for (let bit = length - 1; bit >= 0 && node !== undefined; bit -= 1) {
      node = getOrAddChild(node, (bits >> bit) & 1 ? 1 : 0, { inner, isLeaf: bit === 0 });
    }
    if (node !== undefined) node.symbol = symbol;
  }
  return inner;
}

function getOrAddChild(
  node: Node,
  bit: 0 | 1,
  { inner, isLeaf }: { readonly inner: Node[]; readonly isLeaf: boolean },
): Node {
  const existing = node.children[bit];
  if (existing !== null) return existing;
  const child: Node = {
    children: [null, null],
    symbol: null,
    state: isLeaf ? FAILED : inner.length,
    depth: node.depth + 1,
    isOnes: node.isOnes && bit === 1,
  };
  node.children[bit] = child;
  if (!isLeaf) inner.push(child);
  return child;
}
