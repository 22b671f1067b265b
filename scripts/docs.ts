// npm run docs                        builds the documentation site in docs/.vitepress/dist, and checks all its links
// npm run docs -- --base=/tocsin/     builds it for a URL below the root
// npm run docs -- --out=FOLDER        builds it in another folder
// npm run docs -- --serve [--port=N]  serves the pages and reloads them on changes
import { join } from "node:path";
import { build, createServer, resolveConfig } from "vitepress";
import { ROOT } from "./files.ts";
import { findFlagValue } from "./flags.ts";
import { findSiteProblems } from "./site/site-problems.ts";

const DOCS_FOLDER = join(ROOT, "docs");
const DEFAULT_PORT = 5173;
const SITE_FOLDER = join(DOCS_FOLDER, ".vitepress/dist");

const args = process.argv.slice(2);
if (args.includes("--serve")) await serve(Number(findFlagValue("port", args) ?? DEFAULT_PORT));
else
  await buildSite({
    base: findFlagValue("base", args) ?? "/",
    folder: findFlagValue("out", args) ?? SITE_FOLDER,
  });

async function serve(port: number): Promise<void> {
  const server = await createServer(DOCS_FOLDER, { port });
  await server.listen();
  server.printUrls();
  server.bindCLIShortcuts({ print: true });
}

/** Builds the site, and reports all its broken links. */
async function buildSite({ base, folder }: { readonly base: string; readonly folder: string }) {
  await build(DOCS_FOLDER, { base, outDir: folder });
  const problems = findSiteProblems(folder, base);
  const { rewrites } = await resolveConfig(DOCS_FOLDER, "build", "production");
  for (const problem of problems) console.error(toSourceProblem(problem, rewrites.inv));
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`The site is in ${folder}.`);
}

/** Returns a problem of a built page with the source file to fix; `sources` maps pages to source files. */
function toSourceProblem(problem: string, sources: Readonly<Record<string, string | undefined>>) {
  const [, page] = /^(\S+)\.html: /u.exec(problem) ?? [];
  const source = sources[`${page}.md`];
  return source === undefined ? problem : `${source} (${problem.replace(": ", "): ")}`;
}
