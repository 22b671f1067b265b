// Bundles the server into server/dist/bundle. scripts/setup.mjs calls it when the bundle is missing or stale.
//
// Loading 1,600 files took more than half of the start time, and their comments and blank space took 35 MB of memory at rest.
// Names stay, so that stack traces are readable. Tests run the source itself.
import { dirname, join } from "node:path";
import { rolldown, type Plugin } from "rolldown";

const SOURCES = join(import.meta.dirname, "../src");
/** As deep below the root as the folders of `src`, because the server finds the console by a relative path. */
const TARGET = join(import.meta.dirname, "../dist/bundle");

const FILE_URL_PATTERN = /new URL\("(\.\/[\w-]+\.ts)", import\.meta\.url\)/g;

/** Gives each file that the server names by its URL, such as the code of a thread, a bundle of its own. */
const filesByUrl: Plugin = {
  name: "files-by-url",
  transform: {
    filter: { id: /\/server\/src\//, code: "import.meta.url" },
    handler(code, id) {
      return code.replace(FILE_URL_PATTERN, (_match, path: string) => {
        const file = this.emitFile({ type: "chunk", id: join(dirname(id), path) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${file})`;
      });
    },
  },
};

await using bundle = await rolldown({
  input: join(SOURCES, "main.ts"),
  platform: "node",
  // `pg` looks for this optional package, which the server does not use.
  external: ["pg-native"],
  plugins: [filesByUrl],
});
await bundle.write({ dir: TARGET, format: "esm", comments: false, cleanDir: true });
