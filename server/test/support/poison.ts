import { existsSync, readFileSync } from "node:fs";
import { changeSource, replaceOnce } from "./change-source.ts";

/**
 * Preloaded into a server under test: gives the Web Push provider the fault that it ends its process over a device, whose
 * endpoint stands in a file.
 */
const FILE = process.env["POISON_FILE"] ?? "";

const BEGINNING = "const endpoint = checkEndpoint(";

changeSource("/providers/webpush/webpush.ts", (source) => {
  const by = `globalThis.poison(address.endpoint);\n${BEGINNING}`;
  const poisoned = replaceOnce(source, { replace: BEGINNING, by });
  if (poisoned === null) throw new Error("The provider's code looks different.");
  return poisoned;
});

Object.assign(globalThis, {
  poison(endpoint: string): void {
    if (existsSync(FILE) && readFileSync(FILE, "utf8") === endpoint) process.abort();
  },
});
