/** Runs a function once after a duration in milliseconds. Returns a function that cancels it. */
export type Schedule = (ms: number, run: () => void) => () => void;

/** Timers that do not keep the process alive. */
export const scheduleTimer: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};
