import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";
import { formatDiagram, parseDiagram, updateSteps, type Step } from "./diagram.ts";

const ARCHITECTURE_PATH = join(ROOT, "ARCHITECTURE.md");
/** Matches the diagram's text in ARCHITECTURE.md: the block that notification-path.test.ts checks. */
const DIAGRAM_PATTERN =
  /(?<=^```text run=server\/test\/journeys\/notification-path\.test\.ts\n)[^]*?(?=\n```$)/mu;

/** Reads the steps from the diagram in ARCHITECTURE.md. */
export function readSteps(): readonly Step[] {
  return parseDiagram(extractDiagram(readFileSync(ARCHITECTURE_PATH, "utf8")));
}

/**
 * Replaces the files in the diagram of ARCHITECTURE.md with the measured ones. The names and effects of the steps
 * stay.
 */
export function updateDiagram(measuredFiles: readonly string[]): void {
  const page = readFileSync(ARCHITECTURE_PATH, "utf8");
  const diagram = extractDiagram(page);
  writeFileSync(
    ARCHITECTURE_PATH,
    page.replace(diagram, () => formatDiagram(updateSteps(parseDiagram(diagram), measuredFiles))),
  );
}

function extractDiagram(page: string): string {
  const [diagram] = DIAGRAM_PATTERN.exec(page) ?? [];
  if (diagram === undefined)
    throw new Error(`${ARCHITECTURE_PATH} has no diagram of a notification's path.`);
  return diagram;
}
