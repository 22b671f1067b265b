import { encode } from "uqr";
import classes from "./qr-code.module.css";

/** The quiet zone that readers need around a code, in modules (ISO/IEC 18004 section 5.3.8). */
const QUIET_ZONE = 4;

/** A text as a QR code. It is dark on white in every colour scheme, because many readers accept nothing else. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  return (
    <svg
      className={classes["code"]}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path d={drawModules(data)} />
    </svg>
  );
}

/** Returns an SVG path with one rectangle for each run of dark modules in a row. */
function drawModules(rows: readonly (readonly boolean[])[]): string {
  return rows
    .flatMap((row, y) =>
      findRuns(row).map(({ from, length }) => `M${from} ${y}h${length}v1h-${length}z`),
    )
    .join("");
}

function findRuns(row: readonly boolean[]) {
  const runs: { readonly from: number; readonly length: number }[] = [];
  for (let from = row.indexOf(true); from >= 0;) {
    const end = row.indexOf(false, from);
    const length = (end < 0 ? row.length : end) - from;
    runs.push({ from, length });
    from = row.indexOf(true, from + length);
  }
  return runs;
}
