import { setTimeout as wait } from "node:timers/promises";
import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";
import { DUPLICATES_OF_DEATH, somewhereBetween } from "./faults.ts";

const FIRST_SEND_MAX_MS = 2_000;
/** So long is waited for it. */
const SENT_MAX_MS = 20_000;

/** The server on SQLite is killed at any moment, and started again at once. */
export const killSqlite: Campaign = {
  name: "kill-sqlite",
  fault: "kill -9 of the server on SQLite, and a start at once",
  rounds: { short: 2, full: 200 },
  defect: {
    mistake: "a batch is answered before it is committed",
    file: "database/sqlite-worker.ts",
    replace: `  const rest = pieces.slice(early.length);`,
    by: `  const isAccepting = (piece: Piece) =>
    piece.kind === "atomic" && /^insert into "notification"/.test(piece.statements[0]?.sql ?? "");
  const late = pieces.filter(isAccepting);
  reply(late.map(({ id }) => ({ id, results: [] })));
  if (late.length > 0) setTimeout(() => commitTogether(database, late.map((piece) => () => perform(piece))), 20);
  const rest = pieces.slice(early.length).filter((piece) => !isAccepting(piece));`,
    breaks: /accepted notifications are not stored/,
  },
  async run(order) {
    const findings = new Findings(order);
    const site = await startSite(order, { database: "sqlite", nodes: 1, perSecond: 200 });
    const { load, receiver, nodes } = site;
    const [node] = nodes;
    load.start();
    for (let round = 1; round <= order.rounds; round += 1) {
      await wait(somewhereBetween(200, 3_000));
      await node.kill();
      const { promise: sent, resolve } = Promise.withResolvers<void>();
      const since = performance.now();
      await node.start();
      const listening = performance.now();
      receiver.onMessage = () => resolve();
      const isSent = await Promise.race([sent.then(() => true), wait(SENT_MAX_MS, false)]);
      const sentAt = isSent ? performance.now() : Number.POSITIVE_INFINITY;
      findings.time("from listening to the first send", sentAt - listening);
      findings.time("from start to the first send", sentAt - since);
      findings.runs = round;
      order.say(`killed ${round} times, ${load.accepted.size} accepted`);
    }
    findings.duplicatesMax = order.rounds * DUPLICATES_OF_DEATH;
    await account(site, findings);
    findings.judgeTimes("from start to the first send", FIRST_SEND_MAX_MS);
    return findings;
  },
};
