import { fileURLToPath } from "node:url";
import { replaceOnce, type Replacement } from "../support/change-source.ts";

/** A change of one source file of the server that breaks a promise on purpose. */
export interface Defect extends Replacement {
  /** The simulated mistake, in a few words. */
  readonly mistake: string;
  /** Below `server/src/`. */
  readonly file: string;
  /** The broken promise by which it is noticed. */
  readonly breaks: RegExp;
}

/** How a process is told of its defect: as JSON, for `load-defect.ts`. */
export const DEFECT_VARIABLE = "TOCSIN_TEST_DEFECT";

const PRELOAD = fileURLToPath(new URL("./load-defect.ts", import.meta.url));

/** Returns what starts a server process with the defect. */
export function withDefect(defect: Defect | null): {
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
} {
  if (defect === null) return { flags: [], environment: {} };
  return {
    flags: ["--import", PRELOAD],
    environment: { [DEFECT_VARIABLE]: JSON.stringify(defect) },
  };
}

/** Returns the source with the defect in it; throws where the text does not stand there exactly once. */
export function breakSource(source: string, defect: Defect): string {
  const broken = replaceOnce(source, defect);
  if (broken === null) {
    throw new Error(`The defect "${defect.mistake}" does not fit ${defect.file} any more.`);
  }
  return broken;
}
