import test from "node:test";
import { runSequences } from "../ports/random-sequences.ts";
import { runTimerSequences } from "../ports/timer-sequences.ts";

const SEQUENCE_COUNT = 10_000;
const OPTIONS = { concurrency: true, timeout: 9 * 60_000 };

test(
  `the store agrees with the model over ${SEQUENCE_COUNT} random sequences of operations`,
  OPTIONS,
  (t) => runSequences(t, SEQUENCE_COUNT),
);

const TIMER_SEQUENCE_COUNT = 3_000;

test(
  `two workers agree with the model over ${TIMER_SEQUENCE_COUNT} random sequences of timers`,
  OPTIONS,
  (t) => runTimerSequences(t, TIMER_SEQUENCE_COUNT),
);
