import { existsSync } from "node:fs";

/** The program of a browser, and where it usually is. */
export interface BrowserProgram {
  /** The environment variable whose path replaces `paths`. */
  readonly variable: string;
  readonly paths: readonly string[];
  readonly debianPackage: string;
}

/** The browsers that the journeys drive, with their usual paths. */
export const BROWSERS = {
  chromium: {
    variable: "TOCSIN_TEST_CHROMIUM",
    paths: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
    debianPackage: "chromium",
  },
  firefox: {
    variable: "TOCSIN_TEST_FIREFOX",
    paths: ["/usr/bin/firefox-esr", "/usr/bin/firefox"],
    debianPackage: "firefox-esr",
  },
} as const satisfies Readonly<Record<string, BrowserProgram>>;

/** Returns the path of a browser's program; if there is none, throws an error that names the fix. */
export function findExecutable({ variable, paths, debianPackage }: BrowserProgram): string {
  const configuredPath = process.env[variable];
  const foundPath = (configuredPath ? [configuredPath] : paths).find((path) => existsSync(path));
  if (foundPath !== undefined) return foundPath;
  if (configuredPath) throw new Error(`${variable} names ${configuredPath}, which does not exist.`);
  throw new Error(
    `No browser at ${paths.join(", ")}. ` +
      `Install it (Debian: sudo apt-get install ${debianPackage}) or set ${variable} to its path.`,
  );
}

/** Returns one error message per missing browser, with the fix. */
export function listMissingBrowsers(): readonly string[] {
  return Object.values(BROWSERS).flatMap((browser) => {
    try {
      findExecutable(browser);
      return [];
    } catch (error) {
      return [String(error instanceof Error ? error.message : error)];
    }
  });
}
