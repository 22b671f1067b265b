import type { Defect } from "./defect.ts";

/** Mistakes with which an app loses a message, stays away after a restart, or is believed without a proof. */
export const CONNECTED_APPS_DEFECTS: readonly [Defect, ...Defect[]] = [
  {
    mistake: "a stopping server closes WebSockets with a close frame",
    file: "dialects/web-socket-wire.ts",
    replace: "    this.#socket.destroy();",
    by: "    this.#socket.end(Buffer.from([0x88, 2, 3, 0xe9]));",
    breaks: /connections ended in an orderly way/,
  },
  {
    mistake:
      "the numbers of messages are given in one transaction, and their rows stored in the next",
    file: "apps/store/put.ts",
    replace: `  return context.database.transaction(async (db) => {
    const apps = await lockApps(context, db, batch);`,
    by: `  const apps = await context.database.transaction(async (db) => {
    const locked = await lockApps(context, db, batch);
    await addToLastNumbers(db, new Map([...locked.keys()].map((id) => [id, batch.length])));
    return locked;
  });
  await new Promise((resolve) => setTimeout(resolve, 300 * Math.random()));
  return context.database.transaction(async (db) => {`,
    breaks: /messages are not shown/,
  },
  {
    mistake: "a message counts as answered when it is written",
    file: "apps/stream.ts",
    replace: "    this.#unproven = [...this.#unproven, ...written];",
    by: `    await this.#take(written, "answered");`,
    breaks: /recorded as answered before/,
  },
  {
    mistake: "the pongs of apps are ignored",
    file: "dialects/stream-proof.ts",
    replace: "    this.#opened?.confirm(number);",
    by: "",
    breaks: /messages are shown, but recorded as/,
  },
];
