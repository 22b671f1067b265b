import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, sourceFiles } from "../files.ts";
import { claimsOf, type Claim } from "./claims.ts";

/** Names that documents may use, read from the product itself. */
export interface Known {
  readonly files: readonly string[];
  /** Settings that the server or the command line reads. */
  readonly settings: ReadonlySet<string>;
  /** These, and the variables of journeys and of compose.yaml. */
  readonly variables: ReadonlySet<string>;
  /** Scripts of package.json. */
  readonly scripts: ReadonlySet<string>;
  /** Commands of `tocsin`, longest first. */
  readonly commands: readonly string[];
  /** Returns the help of a command of `tocsin`, or for "" its own. */
  readonly helpOf: (command: string) => string;
  /** Methods by path of the OpenAPI document, as in `/api/v1/notify/{apiKey}`. */
  readonly operations: ReadonlyMap<string, ReadonlySet<string>>;
  /** Metrics that the server measures. */
  readonly metrics: ReadonlySet<string>;
  /** Blocks that tests take from pages and run. */
  readonly claims: readonly Claim[];
}

/** Read by compose.yaml itself. */
const OF_COMPOSE = ["TOCSIN_PUBLISH"];

/** Reads what there is; a command is asked for its help when a document names it. */
export function readKnown(): Known {
  const files = sourceFiles();
  const settings = namesIn(
    files.filter((file) => /^(?:server|cli)\/src\/.*(?<!\.test)\.ts$/u.test(file)),
  );
  const tests = files.filter((file) => /^(?:scripts|server\/test)\/.*\.ts$/u.test(file));
  // Settings that tests give the server may be wrong on purpose.
  const ofTests = [...namesIn(tests)].filter((name) => name.startsWith("TOCSIN_TEST_"));
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: object };
  return {
    files,
    settings,
    variables: new Set([...settings, ...ofTests, ...OF_COMPOSE]),
    scripts: new Set(Object.keys(scripts)),
    ...readCommands(),
    operations: readOperations(),
    metrics: new Set(
      read("server/src/composition/metrics.ts").match(/(?<=")tocsin_[a-z_]+(?=")/gu),
    ),
    claims: tests.flatMap((file) => claimsOf(file, read(file))),
  };
}

/** As code writes them: a whole text, or the beginning of one. */
function namesIn(files: readonly string[]): ReadonlySet<string> {
  const name = /["`](TOCSIN_[A-Z0-9_]*[A-Z0-9])(?![A-Z0-9_])/gu;
  const found = files.flatMap((file) => [...read(file).matchAll(name)]);
  return new Set(found.map(([, one = ""]) => one));
}

function readCommands(): Pick<Known, "commands" | "helpOf"> {
  const own = tocsin("--help");
  const names = [...own.matchAll(/^ {2}(?!tocsin )([a-z][a-z -]*?) {2,}\S/gmu)].map(
    ([, name = ""]) => name,
  );
  const helps = new Map([["", own]]);
  return {
    commands: names.toSorted((one, other) => other.length - one.length),
    helpOf: (command) => {
      const help = helps.get(command) ?? tocsin(...command.split(" "), "--help");
      helps.set(command, help);
      return help;
    },
  };
}

function readOperations(): Known["operations"] {
  // The dump is ours, and a check compares it with the code.
  const { paths } = JSON.parse(read("server/openapi.json")) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  return new Map(
    Object.entries(paths).map(([path, methods]) => [
      path,
      new Set(Object.keys(methods).map((method) => method.toUpperCase())),
    ]),
  );
}

function tocsin(...args: readonly string[]): string {
  const main = join(ROOT, "cli/src/main.ts");
  return execFileSync(process.execPath, [main, ...args], { encoding: "utf8" });
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
