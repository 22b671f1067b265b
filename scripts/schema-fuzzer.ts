// npm run schema-fuzzer  installs the schema fuzzer of bar S17 (docs/security.md), unless it is installed. Needs Python
//                        3.11 or later with the module venv (apt-get install python3-venv), and access to the Python
//                        package registry.
import {
  findPythonProgram,
  installPythonEnvironment,
  type PythonEnvironment,
} from "./python-environment.ts";

const SCHEMA_FUZZER: PythonEnvironment = {
  name: "schema-fuzzer",
  program: "schemathesis",
  options: [],
};

if (import.meta.main) await installPythonEnvironment(SCHEMA_FUZZER);

/** Returns the path of the fuzzer; null if it is not installed in the versions that the repository pins. */
export function findSchemaFuzzer(): string | null {
  return findPythonProgram(SCHEMA_FUZZER);
}
