// npm run ntfy-client  installs aiontfy, Home Assistant's client of ntfy that a test sends with, unless it is installed.
//                      Needs Python 3.11 or later with the module venv, and access to the Python package registry.
import {
  findPythonProgram,
  installPythonEnvironment,
  type PythonEnvironment,
} from "./python-environment.ts";

const NTFY_CLIENT: PythonEnvironment = {
  name: "ntfy-client",
  program: "python",
  // The package requires Python 3.12, but also runs on Python 3.11.
  options: ["--ignore-requires-python"],
};

if (import.meta.main) await installPythonEnvironment(NTFY_CLIENT);

/** Returns the path of a Python that has the client; null if it is not installed in the versions that are pinned. */
export function findNtfyClient(): string | null {
  return findPythonProgram(NTFY_CLIENT);
}
