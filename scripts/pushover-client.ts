// npm run pushover-client  installs pushover_complete, a client of Pushover that a test sends with, unless it is installed.
//                          Needs Python 3.11 or later with the module venv, and access to the Python package registry.
import {
  findPythonProgram,
  installPythonEnvironment,
  type PythonEnvironment,
} from "./python-environment.ts";

const PUSHOVER_CLIENT: PythonEnvironment = {
  name: "pushover-client",
  program: "python",
  options: [],
};

if (import.meta.main) await installPythonEnvironment(PUSHOVER_CLIENT);

/** Returns the path of a Python that has the client; null if it is not installed in the versions that are pinned. */
export function findPushoverClient(): string | null {
  return findPythonProgram(PUSHOVER_CLIENT);
}
