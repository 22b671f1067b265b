import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { startWithPhones } from "../support/start-with-phones.ts";
import { createTarget } from "../support/tocsin.ts";
import { TOCSIN } from "./reference.ts";

/** One sender per connection, because a device gets its messages one after another. */
const SENDER_COUNT = 64;

/** Measures by how much each notification makes the SQLite database grow. */
export const bytesOnDisk: BenchCase = {
  name: "B1",
  title: "bytes on disk for one notification with the result of one iPhone, SQLite",
  figure: "bytesEach",
  unit: "bytes",
  contenders: [{ name: TOCSIN, kind: "ours", module: "send-and-measure-bytes" }],
  rounds: 1,
  async start(scope) {
    const options = { phone: "iPhone", senderCount: SENDER_COUNT } as const;
    const { tocsin, people } = await startWithPhones(scope, options);
    const databasePath = join(tocsin.dataDir, "tocsin.db");
    return { ...createTarget(tocsin, people), connections: SENDER_COUNT, databasePath };
  },
  bars: [{ label: "bytes each", contender: TOCSIN, atMost: 500, unit: "bytes" }],
};
