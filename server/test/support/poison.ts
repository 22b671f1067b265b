import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { changeSource, replaceOnce } from "./change-source.ts";

/**
 * Preloaded into a server under test, in all its processes: gives the Web Push provider the fault that it ends its
 * process over a device, which a file names as `abort <endpoint>`. Where it says `spin <endpoint>`, a process that was
 * made for attempts never gives its thread back instead, and leaves its id in a file beside.
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
    if (!existsSync(FILE)) return;
    const [what, whom] = readFileSync(FILE, "utf8").split(" ");
    if (whom !== endpoint) return;
    if (what === "abort" || process.send === undefined) process.abort();
    writeFileSync(`${FILE}.pid`, String(process.pid));
    for (;;);
  },
});
