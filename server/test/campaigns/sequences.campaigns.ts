import test from "node:test";
import { runSequences } from "../ports/random-sequences.ts";

const COUNT = 10_000;
const LIMIT = { concurrency: true, timeout: 9 * 60_000 };

test(`the store agrees with the model over ${COUNT} random sequences of operations`, LIMIT, (t) =>
  runSequences(t, COUNT),
);
