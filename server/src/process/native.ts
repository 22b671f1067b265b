import type { FunctionDefinitions, WrappedFunctionsFromDefinitions } from "node:ffi";
import process from "node:process";

/** Functions of the process itself and of the libraries that Node carries. */
export interface Native<T extends FunctionDefinitions> {
  readonly functions: WrappedFunctionsFromDefinitions<T>;
  /** Returns the address of memory; it stays where it is for as long as somebody keeps it. */
  readonly addressOf: (memory: ArrayBuffer) => bigint;
}

/**
 * Returns the functions of these names, as `node:ffi` calls them, or null where one is missing or Node cannot call them. Arguments are not
 * checked: one that is wrong ends the process, so whoever calls them keeps all of that in one file.
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

/** Node says once for each thread that `node:ffi` is an experiment; who runs a server can do nothing about it. */
function importFfi() {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:ffi");
  } finally {
    process.emitWarning = warn;
  }
}
