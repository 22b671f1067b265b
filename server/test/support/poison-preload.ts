/**
 * Preloaded into a server under test. Makes the Web Push provider crash the process when it sends to the endpoint in the
 * file `POISON_FILE`.
 */
import { existsSync, readFileSync } from "node:fs";
import { changeSource, replaceOnce } from "./change-source.ts";

/** The file that contains the endpoint. */
const ENDPOINT_FILE = process.env["POISON_FILE"] ?? "";

const INSERTION_POINT = "const endpoint = checkEndpoint(";

changeSource("/providers/webpush/webpush.ts", (source) => {
  const replacement = `globalThis.crashIfPoisoned(address.endpoint);\n${INSERTION_POINT}`;
  const poisonedSource = replaceOnce(source, { replace: INSERTION_POINT, by: replacement });
  if (poisonedSource === null)
    throw new Error(`webpush.ts must contain \`${INSERTION_POINT}\` exactly once.`);
  return poisonedSource;
});

Object.assign(globalThis, {
  crashIfPoisoned(endpoint: string): void {
    if (existsSync(ENDPOINT_FILE) && readFileSync(ENDPOINT_FILE, "utf8") === endpoint)
      process.abort();
  },
});
