import { readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { DockerfileParser, type Copy, type Instruction } from "dockerfile-ast";
import { ROOT, sourceFiles } from "../../../scripts/files.ts";

/** A stage of the Dockerfile, with what it does in its order. */
export interface Stage {
  readonly name: string;
  /** Another stage, or an image. */
  readonly from: string;
  readonly steps: readonly Step[];
}

export type Step =
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

/** The result of starting the last stage. */
export interface Start {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the text of the Dockerfile. */
export function dockerfile(): string {
  return readFileSync(join(ROOT, "Dockerfile"), "utf8");
}

/** Returns the stages of a Dockerfile. */
export function stagesOf(text: string): readonly Stage[] {
  const stages: { name: string; from: string; steps: Step[] }[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const words = instruction.getArguments().map((argument) => argument.getValue());
    if (instruction.getKeyword() === "FROM") {
      stages.push({ name: words[2] ?? "", from: words[0] ?? "", steps: [] });
    } else {
      stages.at(-1)?.steps.push(...stepsOf(instruction, words));
    }
  }
  return stages;
}

function stepsOf(instruction: Instruction, words: readonly string[]): readonly Step[] {
  const text = instruction.getRawArgumentsContent() ?? "";
  switch (instruction.getKeyword()) {
    case "COPY": {
      // The parser makes this class of this keyword.
      const flag = (instruction as Copy).getFromFlag()?.getValue() ?? null;
      return [{ kind: "copy", from: flag, sources: words.slice(0, -1), to: words.at(-1) ?? "" }];
    }
    case "RUN":
      return [{ kind: "run", command: text }];
    case "WORKDIR":
      return [{ kind: "workdir", path: text }];
    case "USER":
      return [{ kind: "user", name: text }];
    case "ENV":
      return words.map((word) => {
        const [name = "", ...value] = word.split("=");
        return { kind: "env", name, value: value.join("=") };
      });
    default:
      return [];
  }
}

/** Returns how the image starts; what is written as a text for a shell counts as not there. */
export function startOf(text: string): Start {
  const instructions = DockerfileParser.parse(text).getInstructions();
  const all = (keyword: string) => instructions.filter((each) => each.getKeyword() === keyword);
  const words = (keyword: string): readonly string[] => {
    const list = /\[.*\]$/s.exec(all(keyword).at(-1)?.getRawArgumentsContent() ?? "")?.[0];
    return list === undefined ? [] : JSON.parse(list);
  };
  const labels = all("LABEL").flatMap((label) =>
    Array.from(
      (label.getRawArgumentsContent() ?? "").matchAll(/([\w.]+)=("[^"]*"|\S+)/g),
      ([, name = "", value = ""]) => [name, value.replaceAll('"', "")] as const,
    ),
  );
  return {
    entrypoint: words("ENTRYPOINT"),
    command: words("CMD"),
    healthcheck: words("HEALTHCHECK"),
    labels: Object.fromEntries(labels),
  };
}

/** Returns the files of the repository that .dockerignore lets go to a build. */
export function contextFiles(): readonly string[] {
  const lines = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  const rules = lines.filter((line) => line !== "" && !line.startsWith("#"));
  // The last rule that matches a file, or a folder it is in, decides.
  return sourceFiles().filter((file) => {
    const last = rules.findLast((rule) => covers(rule.replace("!", ""), file));
    return last === undefined || last.startsWith("!");
  });
}

function covers(pattern: string, file: string): boolean {
  const parts = file.split("/");
  return parts.some((_, index) => matchesGlob(parts.slice(0, index + 1).join("/"), pattern));
}
