import type { Plugin } from "vite";
import { PATHS } from "../src/paths.ts";

/** Returns the plugin that writes `paths.json`. The server serves the console at each of these paths. */
export function pathsPlugin(): Plugin {
  return {
    name: "tocsin-paths",
    generateBundle() {
      const source = JSON.stringify(Object.values(PATHS));
      this.emitFile({ type: "asset", fileName: "paths.json", source });
    },
  };
}
