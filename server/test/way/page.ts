import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";
import { drawDiagram, readDiagram, updateSteps, type Step } from "./diagram.ts";

const PAGE = join(ROOT, "ARCHITECTURE.md");
/** The block of ARCHITECTURE.md that names this test as its check. */
const BLOCK =
  /(?<=^```text run=server\/test\/journeys\/way-of-a-notification\.test\.ts\n)[^]*?(?=\n```$)/mu;

/** Reads the steps from the diagram in ARCHITECTURE.md. */
export function readSteps(): readonly Step[] {
  return readDiagram(findBlock(readFileSync(PAGE, "utf8")));
}

/** Updates the diagram in ARCHITECTURE.md with measured files; its steps stay. */
export function updateDiagram(files: readonly string[]): void {
  const page = readFileSync(PAGE, "utf8");
  const block = findBlock(page);
  writeFileSync(
    PAGE,
    page.replace(block, () => drawDiagram(updateSteps(readDiagram(block), files))),
  );
}

function findBlock(page: string): string {
  const [block] = BLOCK.exec(page) ?? [];
  if (block === undefined) throw new Error(`${PAGE} has no diagram of a notification's way.`);
  return block;
}
