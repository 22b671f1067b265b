import type { FunctionDefinitions, WrappedFunctionsFromDefinitions } from "node:ffi";
import process from "node:process";

/** Functions of this process and of the libraries that Node includes. */
export interface Native<T extends FunctionDefinitions> {
  readonly functions: WrappedFunctionsFromDefinitions<T>;
  /** Returns the address of memory; it stays valid while the buffer is referenced. */
  readonly addressOf: (memory: ArrayBuffer) => bigint;
}

/**
 * Returns the functions with these names, called through `node:ffi`; null if one is missing or Node cannot call them.
 * Arguments are not checked and a wrong one crashes the process, so callers keep all such calls in one file.
 */
export function loadNative<const T extends FunctionDefinitions>(definitions: T): Native<T> | null {
  try {
    const ffi = importFfi();
    const { functions } = ffi.dlopen(null, definitions);
    return { functions, addressOf: (memory) => ffi.getRawPointer(memory) };
  } catch {
    return null;
  }
}

/** Node warns once per thread that `node:ffi` is experimental; an operator can do nothing about it. */
function importFfi() {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:ffi");
  } finally {
    process.emitWarning = warn;
  }
}
