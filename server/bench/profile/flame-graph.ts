import type { Call } from "./call-tree.ts";

const GRAPH_WIDTH = 1_200;
const ROW_HEIGHT = 17;
const TITLE_HEIGHT = 30;
/** A narrower call is not drawn. */
const WIDTH_MIN = 0.6;
const CHARACTER_WIDTH = 6.2;
/** The width of a character in the legend, and of the colour and the space beside each name. */
const LEGEND_CHARACTER_WIDTH = 6.8;
const LEGEND_GAP = 24;
/** A shorter label says nothing. */
const LABEL_LENGTH_MIN = 3;

/** The origin of functions: its name in the legend, the files that it has, and its colours on a light and dark page. */
interface FunctionOrigin {
  readonly name: string;
  readonly filePattern: RegExp;
  readonly light: string;
  readonly dark: string;
}

/** All origins. A function has the first one that matches its file. */
const ORIGINS: readonly FunctionOrigin[] = [
  { name: "delivery", filePattern: /^delivery\//, light: "#fdba74", dark: "#9a3412" },
  {
    name: "notifications, keys, content",
    filePattern: /^(notifications|keys|content|devices)\//,
    light: "#fcd34d",
    dark: "#854d0e",
  },
  { name: "push providers", filePattern: /^providers\//, light: "#f9a8d4", dark: "#9d174d" },
  { name: "database", filePattern: /^database\//, light: "#86efac", dark: "#166534" },
  {
    name: "http and the rest of Tocsin",
    filePattern: /^(?!node|node_modules)./,
    light: "#93c5fd",
    dark: "#1e40af",
  },
  { name: "packages", filePattern: /^node_modules\//, light: "#c4b5fd", dark: "#5b21b6" },
  { name: "Node and V8", filePattern: /^/, light: "#d4d4d8", dark: "#52525b" },
];

/** Returns an SVG with one flame graph for each thread, as wide as its share of the processor time. Tooltips name the calls. */
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
  ...ORIGINS.map(({ light }, index) => `.o${index}{fill:${light}}`),
  "@media (prefers-color-scheme:dark){text{fill:#ececef}rect{stroke:#18181b}",
  ...ORIGINS.map(({ dark }, index) => `.o${index}{fill:${dark}}`),
  "}",
].join("");

function drawLegend(): readonly string[] {
  let x = 0;
  return ORIGINS.map(({ name }, index) => {
    const left = x;
    x += LEGEND_GAP + name.length * LEGEND_CHARACTER_WIDTH;
    return `<rect class="o${index}" x="${left}" y="28" width="12" height="12"/><text x="${left + 16}" y="38">${name}</text>`;
  });
}

function drawBox({ call: { functionName, file }, left, depth, width, share }: Box): string {
  const y = TITLE_HEIGHT * 2 - 8 + depth * ROW_HEIGHT;
  const origin = ORIGINS.findIndex(({ filePattern }) => filePattern.test(file));
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
