import { existsSync, readFileSync } from "node:fs";
import { changeSource, replaceOnce } from "./change-source.ts";

/**
 * Preloaded into a server under test: makes the Web Push provider crash its process for the device whose endpoint is in a
 * file.
 */
const FILE = process.env["POISON_FILE"] ?? "";

const INSERTION_POINT = "const endpoint = checkEndpoint(";

changeSource("/providers/webpush/webpush.ts", (source) => {
  const by = `globalThis.poison(address.endpoint);\n${INSERTION_POINT}`;
  const poisoned = replaceOnce(source, { replace: INSERTION_POINT, by });
  if (poisoned === null) throw new Error("The provider's code has changed.");
  return poisoned;
});

Object.assign(globalThis, {
  poison(endpoint: string): void {
    if (existsSync(FILE) && readFileSync(FILE, "utf8") === endpoint) process.abort();
  },
});
