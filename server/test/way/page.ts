import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";
import { drawDiagram, readDiagram, redrawn, type Step } from "./diagram.ts";

const PAGE = join(ROOT, "ARCHITECTURE.md");
/** The one block that names this test as its check. */
const BLOCK =
  /(?<=^```text run=server\/test\/journeys\/way-of-a-notification\.test\.ts\n)[^]*?(?=\n```$)/mu;

/** Returns the steps that ARCHITECTURE.md draws. */
export function drawnSteps(): readonly Step[] {
  return readDiagram(blockIn(readFileSync(PAGE, "utf8")));
}

/** Draws measured files in ARCHITECTURE.md; steps stay. */
export function redraw(files: readonly string[]): void {
  const page = readFileSync(PAGE, "utf8");
  const block = blockIn(page);
  writeFileSync(
    PAGE,
    page.replace(block, () => drawDiagram(redrawn(readDiagram(block), files))),
  );
}

function blockIn(page: string): string {
  const [block] = BLOCK.exec(page) ?? [];
  if (block === undefined) throw new Error(`${PAGE} does not draw the way of a notification.`);
  return block;
}
