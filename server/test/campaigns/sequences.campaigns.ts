import test from "node:test";
import { runSequences } from "../ports/random-sequences.ts";

const SEQUENCE_COUNT = 10_000;
const OPTIONS = { concurrency: true, timeout: 9 * 60_000 };

test(
  `the store agrees with the model over ${SEQUENCE_COUNT} random sequences of operations`,
  OPTIONS,
  (t) => runSequences(t, SEQUENCE_COUNT),
);
