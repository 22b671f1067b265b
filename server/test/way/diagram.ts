const WIDTH = 100;
const BAR = "│ ";
const NEXT = " → ";

/** A step of a notification's way, as ARCHITECTURE.md draws it. */
export interface Step {
  readonly name: string;
  /** Its effect, in a few words for a reader. */
  readonly effect: string;
  /** Paths from `server/src`, in the order in which they are entered first. */
  readonly files: readonly string[];
}

/**
 * Returns the steps of a diagram. A step begins with its name and effect, `key: …`; its files stand in lines below it,
 * with arrows between them, and neighbours of one folder in braces: `http/{server,methods}.ts`.
 */
export function readDiagram(text: string): readonly Step[] {
  const steps: { name: string; effect: string; files: string[] }[] = [];
  for (const line of text.split("\n").filter((row) => row.trim() !== "")) {
    const [, name, effect = ""] = /^([a-z]+): (.+)$/u.exec(line) ?? [];
    const step = steps.at(-1);
    if (name !== undefined) steps.push({ name, effect, files: [] });
    else if (step === undefined)
      throw new Error(`A diagram begins with a step, and not with: ${line}`);
    else step.files.push(...line.replace(BAR, "").split("→").flatMap(expanded));
  }
  return steps;
}

/** Returns the text of a diagram, which `readDiagram` reads. */
export function drawDiagram(steps: readonly Step[]): string {
  return steps
    .flatMap(({ name, effect, files }) => [`${name}: ${effect}`, ...linesOf(files)])
    .join("\n");
}

/**
 * Returns the steps with the files that were measured, in their order. A file stays in its step; a new one, and one that
 * is entered in another order, joins the step that is being gone through.
 */
export function redrawn(steps: readonly Step[], files: readonly string[]): readonly Step[] {
  const known = new Map(steps.flatMap((step, index) => step.files.map((file) => [file, index])));
  const filled = steps.map((step) => ({ ...step, files: [] as string[] }));
  let current = 0;
  for (const file of files) {
    current = Math.max(current, known.get(file) ?? current);
    filled[current]?.files.push(file);
  }
  return filled;
}

function expanded(group: string): readonly string[] {
  const trimmed = group.trim();
  const [, folder, names = ""] = /^(.*)\{(.*)\}\.ts$/u.exec(trimmed) ?? [];
  if (folder === undefined) return trimmed === "" ? [] : [trimmed];
  return names.split(",").map((name) => `${folder}${name}.ts`);
}

function linesOf(files: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const group of groupsOf(files)) {
    const line = lines.at(-1);
    const longer = `${line}${NEXT}${group}`;
    if (line === undefined || longer.length > WIDTH - NEXT.length) lines.push(BAR + group);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line, index) => (index < lines.length - 1 ? line + NEXT.trimEnd() : line));
}

/** Neighbours of one folder, as far as a line has room for them. */
function groupsOf(files: readonly string[]): readonly string[] {
  const groups: { folder: string; names: string[] }[] = [];
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf("/") + 1);
    const name = file.slice(folder.length, -".ts".length);
    const last = groups.at(-1);
    const longer = last === undefined ? "" : groupText(folder, [...last.names, name]);
    const fits = BAR.length + longer.length + NEXT.length <= WIDTH;
    if (folder !== "" && folder === last?.folder && fits) last.names.push(name);
    else groups.push({ folder, names: [name] });
  }
  return groups.map(({ folder, names }) => groupText(folder, names));
}

function groupText(folder: string, names: readonly string[]): string {
  return names.length === 1 ? `${folder}${names[0]}.ts` : `${folder}{${names.join(",")}}.ts`;
}
