import { fileURLToPath } from "node:url";

/** A change of one source file of the server that breaks a promise on purpose. */
export interface Defect {
  readonly what: string;
  /** Below `server/src/`. */
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly replace: string;
  readonly by: string;
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
export function breakSource(source: string, { replace, by, file, what }: Defect): string {
  const [before, after, ...more] = source.split(replace);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`The defect "${what}" does not fit ${file} any more.`);
  }
  return `${before}${by}${after}`;
}
