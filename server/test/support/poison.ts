import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

/**
 * Preloaded into a server under test, in all its processes: gives the Web Push provider the fault that it ends its
 * process over a device, which a file names as `abort <endpoint>`. Where it says `spin <endpoint>`, a process that was
 * made for attempts never gives its thread back instead, and leaves its id in a file beside.
 */
const FILE = process.env["POISON_FILE"] ?? "";

const TARGET = "/providers/webpush/webpush.ts";
const BEGINNING = "const endpoint = checkEndpoint(";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(TARGET)) return loaded;
    const { source } = loaded;
    const text = source instanceof Uint8Array ? Buffer.from(source).toString("utf8") : source;
    if (typeof text !== "string" || !text.includes(BEGINNING)) {
      throw new Error("The provider's code looks different.");
    }
    const poisoned = text.replace(BEGINNING, `globalThis.poison(address.endpoint);\n${BEGINNING}`);
    return { ...loaded, source: poisoned };
  },
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
