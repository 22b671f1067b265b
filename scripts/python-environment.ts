import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { exitLike, run } from "./child.mjs";
import { ROOT } from "./files.ts";

const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** A folder with a Python package and all that it needs, apart from the packages of the machine. */
export interface PythonEnvironment {
  /** The name of the folder in `scripts/` that contains `requirements.txt`. */
  readonly name: string;
  /** The file in `bin/` that proves the installation. */
  readonly program: string;
  /** Further options of `pip install`. */
  readonly options: readonly string[];
}

/** Returns the path of the program; null if it is not installed in the versions that the repository pins. */
export function findPythonProgram({ name, program }: PythonEnvironment): string | null {
  const path = join(getFolder(name), "bin", program);
  const isInstalled = existsSync(getMarkerFile(name)) && existsSync(path);
  return isInstalled && readText(getMarkerFile(name)) === readText(getRequirementsFile(name))
    ? path
    : null;
}

/** Installs the packages unless they are installed. If a step fails, the process exits with the code of that step. */
export async function installPythonEnvironment(environment: PythonEnvironment): Promise<void> {
  const { name, options } = environment;
  if (findPythonProgram(environment) !== null) {
    console.log(`${name} is installed.`);
    return;
  }
  const folder = getFolder(name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // Hashes are checked. Nothing is built from source, because a build would run code of the package.
  const pip = ["-m", "pip", "install", "-q", "--require-hashes", "--only-binary=:all:"];
  const steps: readonly (readonly [string, ...string[]])[] = [
    ["python3", "-m", "venv", folder],
    [join(folder, "bin", "python"), ...pip, ...options, "-r", getRequirementsFile(name)],
  ];
  for (const [command, ...args] of steps) {
    const result = await run(command, args, { stdio: "inherit", timeout: INSTALL_TIMEOUT_MS });
    if (result.code !== 0) return exitLike(result);
  }
  writeFileSync(getMarkerFile(name), readText(getRequirementsFile(name)));
  console.log(`Installed ${name}.`);
}

function getFolder(name: string): string {
  return join(ROOT, "node_modules", ".cache", name);
}

/** Returns the copy of the installed requirements, which is written last. */
function getMarkerFile(name: string): string {
  return join(getFolder(name), "installed.txt");
}

function getRequirementsFile(name: string): string {
  return join(ROOT, "scripts", name, "requirements.txt");
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}
