import test from "node:test";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { runIncidentSequences } from "../../test/ports/incident-sequences.ts";

/** Number of sequences. Every run draws new ones. A campaign runs more of them, and PostgreSQL is slower. */
const SEQUENCE_COUNT = Number(
  process.env["TOCSIN_TEST_SEQUENCES"] ?? (ON_POSTGRES.skip === false ? 30 : 100),
);

test(
  // Law E1 of docs/promises.md.
  `E1: incidents agree with the model over ${SEQUENCE_COUNT} random sequences`,
  // A campaign takes a while.
  { timeout: 30 * 60_000 },
  async (t) => {
    const { triggerCount, deliveryCount } = await runIncidentSequences(t, SEQUENCE_COUNT);
    t.diagnostic(`${triggerCount} triggers, ${deliveryCount} deliveries`);
  },
);
