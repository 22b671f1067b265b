import test from "node:test";
import { runTimerSequences } from "../../test/ports/timer-sequences.ts";

/** Number of sequences. Every run draws new ones, and `npm run campaigns` runs more. */
const SEQUENCE_COUNT = 60;

test(`two workers agree with the model over ${SEQUENCE_COUNT} random sequences of timers`, (t) =>
  runTimerSequences(t, SEQUENCE_COUNT));
