// npm run schema-fuzzer  installs the schema fuzzer that bar S17 runs, if it is not installed. Needs Python 3.11 or later with
//                        the module venv (apt-get install python3-venv), and access to the Python package registry.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { endLike, run } from "./child.mjs";
import { ROOT } from "./files.ts";

const REQUIREMENTS = join(ROOT, "scripts", "schema-fuzzer", "requirements.txt");
const FOLDER = join(ROOT, "node_modules", ".cache", "schema-fuzzer");
/** A copy of the installed requirements; written last. */
const INSTALLED = join(FOLDER, "installed.txt");
/** The program of the fuzzer. */
const SCHEMATHESIS = join(FOLDER, "bin", "schemathesis");
const LIMIT_MS = 5 * 60_000;

if (import.meta.main) await install();

/** Returns the path of the fuzzer; null if it is not installed in the versions that the repository pins. */
export function findSchemaFuzzer(): string | null {
  const isInstalled = existsSync(INSTALLED) && existsSync(SCHEMATHESIS);
  return isInstalled && read(INSTALLED) === read(REQUIREMENTS) ? SCHEMATHESIS : null;
}

async function install(): Promise<void> {
  if (findSchemaFuzzer() !== null) {
    console.log("The schema fuzzer is installed.");
    return;
  }
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const pip = join(FOLDER, "bin", "python");
  const steps: readonly (readonly [string, ...string[]])[] = [
    ["python3", "-m", "venv", FOLDER],
    // Hashes are checked. Nothing is built from source, because a build would run code of the package.
    [
      pip,
      "-m",
      "pip",
      "install",
      "-q",
      "--require-hashes",
      "--only-binary=:all:",
      "-r",
      REQUIREMENTS,
    ],
  ];
  for (const [command, ...args] of steps) {
    const result = await run(command, args, { stdio: "inherit", timeout: LIMIT_MS });
    if (result.code !== 0) return endLike(result);
  }
  writeFileSync(INSTALLED, read(REQUIREMENTS));
  console.log("Installed the schema fuzzer.");
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}
