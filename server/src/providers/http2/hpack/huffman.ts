import { END_OF_STRING, getHuffmanCodes } from "./huffman-code.ts";
import { CompressionError } from "./compression-error.ts";

/**
 * The number of bits that are decoded at a time. The shortest code is longer, so a transition completes at most one
 * symbol.
 */
const TRANSITION_BITS = 4;
const SHORTEST_CODE_BITS = 5;
const TRANSITIONS_PER_STATE = 1 << TRANSITION_BITS;
/** The last byte is padded with the first bits of the end symbol, which are all ones. */
const PADDING_MAX_BITS = 7;

/** Marks a transition that completes no symbol, or that no string may contain. */
const NO_SYMBOL = 0xff_ff;
const FAILED = 0xff_ff;

/** The transitions of the decoder: the next state, and the symbol that a transition completes. */
interface HuffmanStateMachine {
  readonly nextStates: Uint16Array;
  readonly symbols: Uint16Array;
  /** 1 for each state in which a string may end. */
  readonly isEndState: Uint8Array;
}

let stateMachine: HuffmanStateMachine | null = null;

/** Returns the decoded string with one character per byte. Throws `CompressionError` if the string is malformed. */
export function decodeHuffman(bytes: Buffer, begin: number, end: number): string {
  stateMachine ??= buildStateMachine();
  const { nextStates, symbols, isEndState } = stateMachine;
  const decodedBytes = Buffer.allocUnsafe(Math.ceil(((end - begin) * 8) / SHORTEST_CODE_BITS));
  let length = 0;
  let state = 0;
  for (let nibbleIndex = begin * 2; nibbleIndex < end * 2; nibbleIndex += 1) {
    const byte = bytes[nibbleIndex >> 1] ?? 0;
    const bits =
      (nibbleIndex & 1) === 0 ? byte >> TRANSITION_BITS : byte & (TRANSITIONS_PER_STATE - 1);
    const transition = state * TRANSITIONS_PER_STATE + bits;
    const decodedSymbol = symbols[transition] ?? NO_SYMBOL;
    if (decodedSymbol !== NO_SYMBOL) decodedBytes[length++] = decodedSymbol;
    state = nextStates[transition] ?? FAILED;
    if (state === FAILED) throw new CompressionError("A string contains the end symbol.");
  }
  if (isEndState[state] !== 1) throw new CompressionError("A string ends within a symbol.");
  return decodedBytes.toString("latin1", 0, length);
}

/** A node of the code tree: two children, for the next bit 0 or 1, or a symbol. */
interface CodeTreeNode {
  readonly children: [CodeTreeNode | null, CodeTreeNode | null];
  symbol: number | null;
  /** The row of the node in the tables. Only inner nodes are states. */
  readonly state: number;
  readonly depth: number;
  /** True if all bits on the path to the node are ones. */
  readonly isAllOnes: boolean;
}

function buildStateMachine(): HuffmanStateMachine {
  const innerNodes = buildTree();
  const size = innerNodes.length * TRANSITIONS_PER_STATE;
  const machine: HuffmanStateMachine = {
    nextStates: new Uint16Array(size),
    symbols: new Uint16Array(size).fill(NO_SYMBOL),
    isEndState: new Uint8Array(innerNodes.length),
  };
  const [root] = innerNodes;
  if (root === undefined) throw new Error("The tree has no root.");
  for (const node of innerNodes) {
    machine.isEndState[node.state] = node.isAllOnes && node.depth <= PADDING_MAX_BITS ? 1 : 0;
    for (let bits = 0; bits < TRANSITIONS_PER_STATE; bits += 1)
      fillTransition(machine, { root, node, bits });
  }
  return machine;
}

function fillTransition(
  machine: HuffmanStateMachine,
  {
    root,
    node,
    bits,
  }: { readonly root: CodeTreeNode; readonly node: CodeTreeNode; readonly bits: number },
): void {
  const transition = node.state * TRANSITIONS_PER_STATE + bits;
  let currentNode = node;
  for (let bit = TRANSITION_BITS - 1; bit >= 0; bit -= 1) {
    const child = currentNode.children[(bits >> bit) & 1 ? 1 : 0];
    if (child === null || child.symbol === END_OF_STRING) {
      machine.nextStates[transition] = FAILED;
      return;
    }
    if (child.symbol !== null) machine.symbols[transition] = child.symbol;
    currentNode = child.symbol === null ? child : root;
  }
  machine.nextStates[transition] = currentNode.state;
}

/** Returns the inner nodes, root first. */
function buildTree(): readonly CodeTreeNode[] {
  const innerNodes: CodeTreeNode[] = [
    { children: [null, null], symbol: null, state: 0, depth: 0, isAllOnes: true },
  ];
  for (const { symbol, length, bits } of getHuffmanCodes()) {
    let [node] = innerNodes;
    for (let bit = length - 1; bit >= 0 && node !== undefined; bit -= 1) {
      node = getOrAddChild(node, (bits >> bit) & 1 ? 1 : 0, { innerNodes, isLeaf: bit === 0 });
    }
    if (node !== undefined) node.symbol = symbol;
  }
  return innerNodes;
}

function getOrAddChild(
  node: CodeTreeNode,
  bit: 0 | 1,
  { innerNodes, isLeaf }: { readonly innerNodes: CodeTreeNode[]; readonly isLeaf: boolean },
): CodeTreeNode {
  const existingChild = node.children[bit];
  if (existingChild !== null) return existingChild;
  const child: CodeTreeNode = {
    children: [null, null],
    symbol: null,
    state: isLeaf ? FAILED : innerNodes.length,
    depth: node.depth + 1,
    isAllOnes: node.isAllOnes && bit === 1,
  };
  node.children[bit] = child;
  if (!isLeaf) innerNodes.push(child);
  return child;
}
