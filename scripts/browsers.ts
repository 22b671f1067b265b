import { existsSync } from "node:fs";

/** A browser that the journeys drive. */
export interface InstalledBrowser {
  /** Environment variable that names the program where it is not found by itself. */
  readonly variable: string;
  readonly paths: readonly string[];
  readonly debianPackage: string;
}

/** The browsers that the journeys drive, and where they are looked for. */
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
} as const satisfies Readonly<Record<string, InstalledBrowser>>;

/** Returns the path of a browser's program; throws where there is none, with how to mend it. */
export function executableOf({ variable, paths, debianPackage }: InstalledBrowser): string {
  const chosen = process.env[variable];
  const found = (chosen ? [chosen] : paths).find((path) => existsSync(path));
  if (found !== undefined) return found;
  if (chosen) throw new Error(`${variable} names ${chosen}, which does not exist.`);
  throw new Error(
    `No browser at ${paths.join(", ")}. ` +
      `Install it (Debian: sudo apt-get install ${debianPackage}) or set ${variable} to its path.`,
  );
}

/** Returns one sentence per browser that is not installed, with how to mend it. */
export function missingBrowsers(): readonly string[] {
  return Object.values(BROWSERS).flatMap((browser) => {
    try {
      executableOf(browser);
      return [];
    } catch (error) {
      return [String(error instanceof Error ? error.message : error)];
    }
  });
}
