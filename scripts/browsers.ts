import { existsSync } from "node:fs";

interface Browser {
  /** Environment variable that names the program where it is not found by itself. */
  readonly variable: string;
  readonly paths: readonly string[];
  readonly debianPackage: string;
}

/** The browsers that the journeys drive. */
const BROWSERS: readonly Browser[] = [
  {
    variable: "TOCSIN_TEST_CHROMIUM",
    paths: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
    debianPackage: "chromium",
  },
  {
    variable: "TOCSIN_TEST_FIREFOX",
    paths: ["/usr/bin/firefox-esr", "/usr/bin/firefox"],
    debianPackage: "firefox-esr",
  },
];

/** Returns one sentence per browser that is not installed, with how to mend it. */
export function missingBrowsers(): readonly string[] {
  return BROWSERS.filter((browser) => !isInstalled(browser)).map(
    ({ variable, paths, debianPackage }) =>
      `No browser at ${process.env[variable] ?? paths.join(", ")}. ` +
      `Install it (Debian: sudo apt-get install ${debianPackage}) or set ${variable} to its path.`,
  );
}

function isInstalled({ variable, paths }: Browser): boolean {
  const chosen = process.env[variable];
  return (chosen === undefined ? paths : [chosen]).some((path) => existsSync(path));
}
