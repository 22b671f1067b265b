// Builds the console into console/dist. scripts/setup.mjs calls it when the build is missing or stale.
import { join } from "node:path";
import { build } from "vite";
import { compressAll } from "./compress.ts";

const root = join(import.meta.dirname, "..");

await build({ root, logLevel: "warn" });
await compressAll(join(root, "dist"));
