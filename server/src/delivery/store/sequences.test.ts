import test from "node:test";
import { runSequences } from "../../../test/ports/random-sequences.ts";

/** Every run draws new sequences. `npm run campaigns` runs as many as docs/promises.md demands. */
const COUNT = 300;
const LIMIT = { concurrency: true, timeout: 3 * 60_000 };

test(`the store agrees with the model over ${COUNT} random sequences of operations`, LIMIT, (t) =>
  runSequences(t, COUNT),
);
