const WIDTH_MAX = 100;
const BAR = "│ ";
const ARROW = " → ";

/** A step of a notification's path through the code, as ARCHITECTURE.md draws it. */
export interface Step {
  readonly name: string;
  /** A short description for readers. */
  readonly effect: string;
  /** Paths from `server/src`, in the order of first entry. */
  readonly files: readonly string[];
}

/**
 * Parses a diagram. A step begins with its name and effect, `name: effect`. The files follow on the next lines, with
 * arrows between them, and adjacent files of a folder in braces: `http/{server,methods}.ts`.
 */
export function parseDiagram(text: string): readonly Step[] {
  const steps: { name: string; effect: string; files: string[] }[] = [];
  for (const line of text.split("\n").filter((row) => row.trim() !== "")) {
    const [, name, effect = ""] = /^([a-z]+): (.+)$/u.exec(line) ?? [];
    const step = steps.at(-1);
    if (name !== undefined) steps.push({ name, effect, files: [] });
    else if (step === undefined)
      throw new Error(`A diagram must begin with a step, not with: ${line}`);
    else step.files.push(...line.replace(BAR, "").split("→").flatMap(expandGroup));
  }
  return steps;
}

/** Formats a diagram that `parseDiagram` can parse. */
export function formatDiagram(steps: readonly Step[]): string {
  return steps
    .flatMap(({ name, effect, files }) => [`${name}: ${effect}`, ...formatLines(files)])
    .join("\n");
}

/**
 * Returns the steps with the measured files, in measured order. A file stays in its step. A new file, or one that is
 * entered in another order, is added to the current step.
 */
export function updateSteps(steps: readonly Step[], files: readonly string[]): readonly Step[] {
  const stepIndexes = new Map(
    steps.flatMap((step, index) => step.files.map((file) => [file, index])),
  );
  const updated = steps.map((step) => ({ ...step, files: [] as string[] }));
  let stepIndex = 0;
  for (const file of files) {
    stepIndex = Math.max(stepIndex, stepIndexes.get(file) ?? stepIndex);
    updated[stepIndex]?.files.push(file);
  }
  return updated;
}

function expandGroup(group: string): readonly string[] {
  const trimmed = group.trim();
  const [, folder, names = ""] = /^(.*)\{(.*)\}\.ts$/u.exec(trimmed) ?? [];
  if (folder === undefined) return trimmed === "" ? [] : [trimmed];
  return names.split(",").map((name) => `${folder}${name}.ts`);
}

function formatLines(files: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const group of groupFiles(files)) {
    const line = lines.at(-1);
    const extended = `${line}${ARROW}${group}`;
    if (line === undefined || extended.length > WIDTH_MAX - ARROW.length) lines.push(BAR + group);
    else lines[lines.length - 1] = extended;
  }
  return lines.map((line, index) => (index < lines.length - 1 ? line + ARROW.trimEnd() : line));
}

/** Groups adjacent files of a folder, as many as fit on a line. */
function groupFiles(files: readonly string[]): readonly string[] {
  const groups: { folder: string; names: string[] }[] = [];
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf("/") + 1);
    const name = file.slice(folder.length, -".ts".length);
    const last = groups.at(-1);
    const extended = last === undefined ? "" : formatGroup(folder, [...last.names, name]);
    const fits = BAR.length + extended.length + ARROW.length <= WIDTH_MAX;
    if (folder !== "" && folder === last?.folder && fits) last.names.push(name);
    else groups.push({ folder, names: [name] });
  }
  return groups.map(({ folder, names }) => formatGroup(folder, names));
}

function formatGroup(folder: string, names: readonly string[]): string {
  return names.length === 1 ? `${folder}${names[0]}.ts` : `${folder}{${names.join(",")}}.ts`;
}
