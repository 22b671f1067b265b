import { fileURLToPath } from "node:url";
import { replaceOnce, type Replacement } from "../support/change-source.ts";

/** A change of one source file of the server that deliberately breaks a promise. */
export interface Defect extends Replacement {
  /** The simulated mistake, in a few words. */
  readonly mistake: string;
  /** Path below `server/src/`. */
  readonly file: string;
  /** Matches the violation that a campaign must report for this defect. */
  readonly breaks: RegExp;
}

/** Environment variable with the defect as JSON, read by `load-defect.ts`. */
export const DEFECT_VARIABLE = "TOCSIN_TEST_DEFECT";

const PRELOAD = fileURLToPath(new URL("./load-defect.ts", import.meta.url));

/** Returns the flags and environment that start a server process with the defect. */
export function toProcessOptions(defect: Defect | null): {
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
} {
  if (defect === null) return { flags: [], environment: {} };
  return {
    flags: ["--import", PRELOAD],
    environment: { [DEFECT_VARIABLE]: JSON.stringify(defect) },
  };
}

/** Returns the source with the defect; throws unless the replaced text occurs exactly once. */
export function applyDefect(source: string, defect: Defect): string {
  const changedSource = replaceOnce(source, defect);
  if (changedSource === null) {
    throw new Error(`The defect "${defect.mistake}" no longer applies to ${defect.file}.`);
  }
  return changedSource;
}
