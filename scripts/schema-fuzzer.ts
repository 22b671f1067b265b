// npm run schema-fuzzer  installs the schema fuzzer that bar S17 runs, if it is not installed. Needs Python 3.11 or later with
//                        the module venv (apt-get install python3-venv), and access to the Python package registry.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { exitLike, run } from "./child.mjs";
import { ROOT } from "./files.ts";

const REQUIREMENTS_FILE = join(ROOT, "scripts", "schema-fuzzer", "requirements.txt");
const VENV_FOLDER = join(ROOT, "node_modules", ".cache", "schema-fuzzer");
/** A copy of the installed requirements, which is written last. */
const INSTALLED_FILE = join(VENV_FOLDER, "installed.txt");
/** The program of the fuzzer. */
const SCHEMATHESIS_PATH = join(VENV_FOLDER, "bin", "schemathesis");
const INSTALL_TIMEOUT_MS = 5 * 60_000;

if (import.meta.main) await install();

/** Returns the path of the fuzzer; null if it is not installed in the versions that the repository pins. */
export function findSchemaFuzzer(): string | null {
  const isInstalled = existsSync(INSTALLED_FILE) && existsSync(SCHEMATHESIS_PATH);
  return isInstalled && readText(INSTALLED_FILE) === readText(REQUIREMENTS_FILE)
    ? SCHEMATHESIS_PATH
    : null;
}

async function install(): Promise<void> {
  if (findSchemaFuzzer() !== null) {
    console.log("The schema fuzzer is installed.");
    return;
  }
  await rm(VENV_FOLDER, { recursive: true, force: true });
  await mkdir(VENV_FOLDER, { recursive: true });
  const python = join(VENV_FOLDER, "bin", "python");
  const steps: readonly (readonly [string, ...string[]])[] = [
    ["python3", "-m", "venv", VENV_FOLDER],
    // Hashes are checked. Nothing is built from source, because a build would run code of the package.
    [
      python,
      "-m",
      "pip",
      "install",
      "-q",
      "--require-hashes",
      "--only-binary=:all:",
      "-r",
      REQUIREMENTS_FILE,
    ],
  ];
  for (const [command, ...args] of steps) {
    const result = await run(command, args, { stdio: "inherit", timeout: INSTALL_TIMEOUT_MS });
    if (result.code !== 0) return exitLike(result);
  }
  writeFileSync(INSTALLED_FILE, readText(REQUIREMENTS_FILE));
  console.log("Installed the schema fuzzer.");
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}
