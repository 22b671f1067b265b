import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, listSourceFiles } from "../files.ts";
import { findTestedBlocks, type TestedBlock } from "./tested-blocks.ts";

/** The names that documents may use, read from the product itself. */
export interface KnownNames {
  readonly files: readonly string[];
  /** Settings that the server or the command line reads. */
  readonly settings: ReadonlySet<string>;
  /** The settings, the variables of journeys and of compose.yaml, and Apple's categories. */
  readonly variables: ReadonlySet<string>;
  /** Scripts of package.json. */
  readonly scripts: ReadonlySet<string>;
  /** Commands of `tocsin`, longest first. */
  readonly commands: readonly string[];
  /** Returns the help of a command of `tocsin`; for "", the help of `tocsin` itself. */
  readonly getHelp: (command: string) => string;
  /** The methods of each path of the OpenAPI document, such as `/api/v1/notify/{apiKey}`. */
  readonly operations: ReadonlyMap<string, ReadonlySet<string>>;
  /** Metrics that the server measures. */
  readonly metrics: ReadonlySet<string>;
  /** Blocks of pages that tests run. */
  readonly testedBlocks: readonly TestedBlock[];
}

/** A file whose names look like settings: Apple's categories of notifications. */
const CATEGORY_FILE = "server/src/providers/interaction.ts";
/** The files that define the metrics. */
const METRIC_FILES = [
  "server/src/composition/app-metrics.ts",
  "server/src/composition/metrics.ts",
  "server/src/composition/incident-metrics.ts",
  "server/src/composition/create-prompt-room.ts",
];
/** Variables that compose.yaml itself reads. */
const COMPOSE_VARIABLES = ["TOCSIN_PUBLISH"];

/** Reads the names from the product; the help of a command is read when a document names the command. */
export function readKnownNames(): KnownNames {
  const files = listSourceFiles();
  const settings = findSettingNames(
    files.filter(
      (file) => /^(?:server|cli)\/src\/.*(?<!\.test)\.ts$/u.test(file) && file !== CATEGORY_FILE,
    ),
  );
  const tests = files.filter((file) => /^(?:scripts|server\/test)\/.*\.ts$/u.test(file));
  // Tests may give the server wrong settings on purpose.
  const testVariables = [...findSettingNames(tests)].filter((name) =>
    name.startsWith("TOCSIN_TEST_"),
  );
  const { scripts } = JSON.parse(readText("package.json")) as { readonly scripts: object };
  return {
    files,
    settings,
    variables: new Set([
      ...settings,
      ...testVariables,
      ...COMPOSE_VARIABLES,
      ...findSettingNames([CATEGORY_FILE]),
    ]),
    scripts: new Set(Object.keys(scripts)),
    ...readCommands(),
    operations: readOperations(),
    metrics: new Set(
      METRIC_FILES.map(readText)
        .join("\n")
        .match(/(?<=")tocsin_[a-z_]+(?=")/gu),
    ),
    testedBlocks: tests.flatMap((file) => findTestedBlocks(file, readText(file))),
  };
}

/** Returns the settings that files name as code does: as a whole string, or at its start. */
function findSettingNames(files: readonly string[]): ReadonlySet<string> {
  const name = /["`](TOCSIN_[A-Z0-9_]*[A-Z0-9])(?![A-Z0-9_])/gu;
  const matches = files.flatMap((file) => [...readText(file).matchAll(name)]);
  return new Set(matches.map(([, setting = ""]) => setting));
}

function readCommands(): Pick<KnownNames, "commands" | "getHelp"> {
  const mainHelp = runTocsin("--help");
  const names = [...mainHelp.matchAll(/^ {2}(?!tocsin )([a-z][a-z -]*?) {2,}\S/gmu)].map(
    ([, name = ""]) => name,
  );
  const helps = new Map([["", mainHelp]]);
  return {
    commands: names.toSorted((one, other) => other.length - one.length),
    getHelp: (command) => {
      const help = helps.get(command) ?? runTocsin(...command.split(" "), "--help");
      helps.set(command, help);
      return help;
    },
  };
}

function readOperations(): KnownNames["operations"] {
  // The dump is generated, and a check compares it with the code.
  const { paths } = JSON.parse(readText("server/openapi.json")) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  return new Map(
    Object.entries(paths).map(([path, methods]) => [
      path,
      new Set(Object.keys(methods).map((method) => method.toUpperCase())),
    ]),
  );
}

function runTocsin(...args: readonly string[]): string {
  const main = join(ROOT, "cli/src/main.ts");
  return execFileSync(process.execPath, [main, ...args], { encoding: "utf8" });
}

function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
