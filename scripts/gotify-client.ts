// npm run gotify-client  installs gotify, a client of Gotify that a test receives with, unless it is installed. Needs
//                        Python 3.11 or later with the module venv, and access to the Python package registry.
import {
  findPythonProgram,
  installPythonEnvironment,
  type PythonEnvironment,
} from "./python-environment.ts";

const GOTIFY_CLIENT: PythonEnvironment = {
  name: "gotify-client",
  program: "python",
  options: [],
};

if (import.meta.main) await installPythonEnvironment(GOTIFY_CLIENT);

/** Returns the path of a Python that has the client; null if it is not installed in the versions that are pinned. */
export function findGotifyClient(): string | null {
  return findPythonProgram(GOTIFY_CLIENT);
}
