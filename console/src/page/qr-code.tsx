import { encode } from "uqr";
import classes from "./qr-code.module.css";

/** The quiet zone that readers need around a code, in modules (ISO/IEC 18004 section 5.3.8). */
const QUIET_ZONE_MODULES = 4;

/** A text as a QR code. It is dark on white in every colour scheme, because many readers accept nothing else. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE_MODULES });
  return (
    <svg
      className={classes["code"]}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path d={toSvgPath(data)} />
    </svg>
  );
}

/** Returns an SVG path with one rectangle for each run of dark modules in a row. */
function toSvgPath(rows: readonly (readonly boolean[])[]): string {
  return rows
    .flatMap((row, y) =>
      findDarkRuns(row).map(({ start, length }) => `M${start} ${y}h${length}v1h-${length}z`),
    )
    .join("");
}

function findDarkRuns(row: readonly boolean[]) {
  const runs: { readonly start: number; readonly length: number }[] = [];
  for (let start = row.indexOf(true); start >= 0;) {
    const end = row.indexOf(false, start);
    const length = (end < 0 ? row.length : end) - start;
    runs.push({ start, length });
    start = row.indexOf(true, start + length);
  }
  return runs;
}
