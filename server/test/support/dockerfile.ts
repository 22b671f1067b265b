import { readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { DockerfileParser, type Copy, type Instruction } from "dockerfile-ast";
import { ROOT, listSourceFiles } from "../../../scripts/files.ts";

/** A stage of the Dockerfile with its steps. */
export interface BuildStage {
  readonly name: string;
  /** Another stage, or an image. */
  readonly from: string;
  readonly steps: readonly BuildStep[];
}

/** An instruction of the Dockerfile that affects the image's files, environment, working folder or user. */
export type BuildStep =
  | {
      readonly kind: "copy";
      readonly from: string | null;
      readonly sources: readonly string[];
      readonly to: string;
    }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "env"; readonly name: string; readonly value: string }
  | { readonly kind: "workdir"; readonly path: string }
  | { readonly kind: "user"; readonly name: string };

/** The start commands, health check and labels of the last stage. */
export interface ImageConfiguration {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the text of the Dockerfile. */
export function readDockerfile(): string {
  return readFileSync(join(ROOT, "Dockerfile"), "utf8");
}

/** Parses the stages of a Dockerfile. */
export function parseStages(text: string): readonly BuildStage[] {
  const stages: { name: string; from: string; steps: BuildStep[] }[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const args = instruction.getArguments().map((argument) => argument.getValue());
    if (instruction.getKeyword() === "FROM") {
      stages.push({ name: args[2] ?? "", from: args[0] ?? "", steps: [] });
    } else {
      stages.at(-1)?.steps.push(...parseSteps(instruction, args));
    }
  }
  return stages;
}

function parseSteps(instruction: Instruction, args: readonly string[]): readonly BuildStep[] {
  const text = instruction.getRawArgumentsContent() ?? "";
  switch (instruction.getKeyword()) {
    case "COPY": {
      // The parser creates this class for COPY.
      const from = (instruction as Copy).getFromFlag()?.getValue() ?? null;
      return [{ kind: "copy", from, sources: args.slice(0, -1), to: args.at(-1) ?? "" }];
    }
    case "RUN":
      return [{ kind: "run", command: text }];
    case "WORKDIR":
      return [{ kind: "workdir", path: text }];
    case "USER":
      return [{ kind: "user", name: text }];
    case "ENV":
      return args.map((arg) => {
        const [name = "", ...value] = arg.split("=");
        return { kind: "env", name, value: value.join("=") };
      });
    default:
      return [];
  }
}

/** Parses the start commands, health check and labels of a Dockerfile. Commands in shell form are ignored. */
export function parseImageConfiguration(text: string): ImageConfiguration {
  const instructions = DockerfileParser.parse(text).getInstructions();
  const findInstructions = (keyword: string) =>
    instructions.filter((instruction) => instruction.getKeyword() === keyword);
  const parseExecForm = (keyword: string): readonly string[] => {
    const list = /\[.*\]$/s.exec(
      findInstructions(keyword).at(-1)?.getRawArgumentsContent() ?? "",
    )?.[0];
    return list === undefined ? [] : JSON.parse(list);
  };
  const labels = findInstructions("LABEL").flatMap((label) =>
    Array.from(
      (label.getRawArgumentsContent() ?? "").matchAll(/([\w.]+)=("[^"]*"|\S+)/g),
      ([, name = "", value = ""]) => [name, value.replaceAll('"', "")] as const,
    ),
  );
  return {
    entrypoint: parseExecForm("ENTRYPOINT"),
    command: parseExecForm("CMD"),
    healthcheck: parseExecForm("HEALTHCHECK"),
    labels: Object.fromEntries(labels),
  };
}

/** Returns the files of the repository that .dockerignore does not exclude. */
export function listContextFiles(): readonly string[] {
  const lines = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  const rules = lines.filter((line) => line !== "" && !line.startsWith("#"));
  // The last rule that matches a file or one of its folders applies.
  return listSourceFiles().filter((file) => {
    const lastMatchingRule = rules.findLast((rule) => matchesFile(rule.replace("!", ""), file));
    return lastMatchingRule === undefined || lastMatchingRule.startsWith("!");
  });
}

function matchesFile(pattern: string, file: string): boolean {
  const parts = file.split("/");
  return parts.some((_, index) => matchesGlob(parts.slice(0, index + 1).join("/"), pattern));
}
