import type { Call } from "./call-tree.ts";

const GRAPH_WIDTH = 1_200;
const ROW_HEIGHT = 17;
const TITLE_HEIGHT = 30;
/** A narrower call is not drawn. */
const WIDTH_MIN = 0.6;
const CHARACTER_WIDTH = 6.2;
/** A shorter label says nothing. */
const LABEL_LENGTH_MIN = 3;

/** Colours by the origin of a function, first match first: its name in the legend, files, light and dark colour. */
const ORIGINS = [
  ["delivery", /^delivery\//, "#fdba74", "#9a3412"],
  ["notifications, keys, content", /^(notifications|keys|content|devices)\//, "#fcd34d", "#854d0e"],
  ["push providers", /^providers\//, "#f9a8d4", "#9d174d"],
  ["database", /^database\//, "#86efac", "#166534"],
  ["http and the rest of Tocsin", /^(?!node|node_modules)./, "#93c5fd", "#1e40af"],
  ["packages", /^node_modules\//, "#c4b5fd", "#5b21b6"],
  ["Node and V8", /^/, "#d4d4d8", "#52525b"],
] as const;

/** Returns an SVG with one flame graph for each thread, in proportion to its processor time. A pointer shows each call. */
export function drawFlameGraph(title: string, threads: readonly Call[]): string {
  const totalUs = threads.reduce((sum, thread) => sum + thread.totalUs, 0);
  const boxes = placeCalls(threads, { left: 0, depth: 0, totalUs });
  const depthMax = Math.max(0, ...boxes.map(({ depth }) => depth));
  const height = TITLE_HEIGHT * 2 + (depthMax + 1) * ROW_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${GRAPH_WIDTH} ${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<style>${STYLE}</style>`,
    `<text class="head" x="0" y="18">${escapeXml(title)}</text>`,
    ...drawLegend(),
    ...boxes.map(drawBox),
    "</svg>",
    "",
  ].join("\n");
}

/** A call at its place in the graph; `share` is its part of the time, from 0 to 1. */
interface Box {
  readonly call: Call;
  readonly left: number;
  readonly depth: number;
  readonly width: number;
  readonly share: number;
}

/** Returns the boxes of calls side by side, the longest first, each above its callees. */
function placeCalls(
  calls: readonly Call[],
  {
    left,
    depth,
    totalUs,
  }: { readonly left: number; readonly depth: number; readonly totalUs: number },
): readonly Box[] {
  let callLeft = left;
  return calls
    .toSorted((a, b) => b.totalUs - a.totalUs)
    .flatMap((call) => {
      const share = call.totalUs / totalUs;
      const box = { call, left: callLeft, depth, width: share * GRAPH_WIDTH, share };
      callLeft += box.width;
      if (box.width < WIDTH_MIN) return [];
      const callees = [...call.callees.values()];
      return [box, ...placeCalls(callees, { left: box.left, depth: depth + 1, totalUs })];
    });
}

const STYLE = [
  "text{font:11px ui-monospace,monospace;fill:#1c1c1f}",
  ".head{font:600 14px system-ui,sans-serif}",
  "rect{stroke:#fff;stroke-width:.5}",
  ...ORIGINS.map(([, , light], index) => `.o${index}{fill:${light}}`),
  "@media (prefers-color-scheme:dark){text{fill:#ececef}rect{stroke:#18181b}",
  ...ORIGINS.map(([, , , dark], index) => `.o${index}{fill:${dark}}`),
  "}",
].join("");

function drawLegend(): readonly string[] {
  let x = 0;
  return ORIGINS.map(([name], index) => {
    const left = x;
    x += 24 + name.length * 6.8;
    return `<rect class="o${index}" x="${left}" y="28" width="12" height="12"/><text x="${left + 16}" y="38">${name}</text>`;
  });
}

function drawBox({ call: { functionName, file }, left, depth, width, share }: Box): string {
  const y = TITLE_HEIGHT * 2 - 8 + depth * ROW_HEIGHT;
  const origin = ORIGINS.findIndex(([, pattern]) => pattern.test(file));
  const text = file === "" ? functionName : `${functionName} ${file}`;
  const tooltip = `<title>${escapeXml(text)}, ${(share * 100).toFixed(1)} %</title>`;
  const rect = `<rect class="o${origin}" x="${left.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW_HEIGHT - 1}"/>`;
  const lengthMax = Math.floor((width - 4) / CHARACTER_WIDTH);
  if (lengthMax < LABEL_LENGTH_MIN) return `<g>${tooltip}${rect}</g>`;
  const label = escapeXml(functionName.slice(0, lengthMax));
  return `<g>${tooltip}${rect}<text x="${(left + 2).toFixed(1)}" y="${y + 12}">${label}</text></g>`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
