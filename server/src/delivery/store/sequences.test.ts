import test from "node:test";
import { runSequences } from "../../../test/ports/random-sequences.ts";

/** Number of sequences. Every run draws new ones, and `npm run campaigns` runs more. */
const SEQUENCE_COUNT = 300;
const LIMIT = { concurrency: true, timeout: 3 * 60_000 };

test(
  `the store agrees with the model over ${SEQUENCE_COUNT} random sequences of operations`,
  LIMIT,
  (t) => runSequences(t, SEQUENCE_COUNT),
);
