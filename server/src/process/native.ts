import type { FunctionDefinitions, WrappedFunctionsFromDefinitions } from "node:ffi";
import process from "node:process";

/** Functions of this process and of the libraries that are loaded in it. */
export interface NativeFunctions<T extends FunctionDefinitions> {
  readonly functions: WrappedFunctionsFromDefinitions<T>;
  /** Returns the address of memory; it stays valid while the buffer is referenced. */
  readonly addressOf: (memory: ArrayBuffer) => bigint;
}

/**
 * Returns the functions with these names, called through `node:ffi`; null if one is missing or Node cannot call them.
 * Arguments are not checked and a wrong one crashes the process, so a caller keeps its calls and definitions in one
 * file.
 */
export function loadNativeFunctions<const T extends FunctionDefinitions>(
  definitions: T,
): NativeFunctions<T> | null {
  try {
    const ffi = importFfi();
    const { functions } = ffi.dlopen(null, definitions);
    return { functions, addressOf: (memory) => ffi.getRawPointer(memory) };
  } catch {
    return null;
  }
}

/** Loads `node:ffi` without the warning that it is experimental, about which an operator can do nothing. */
function importFfi() {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:ffi");
  } finally {
    process.emitWarning = warn;
  }
}
