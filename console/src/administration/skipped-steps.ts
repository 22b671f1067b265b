/** The steps to set up a server. Each can be skipped. */
export const SERVER_STEPS = ["address", "mail", "signUp"] as const;

/** A step to set up a server. */
export type ServerStep = (typeof SERVER_STEPS)[number];

const STORAGE_KEY = "tocsin-steps-left";

/** Returns the steps that were skipped in this browser. */
export function readSkippedSteps(): ReadonlySet<ServerStep> {
  return parseSkippedSteps(localStorage.getItem(STORAGE_KEY));
}

/** Skips a step in this browser. Returns all skipped steps. */
export function skipStep(step: ServerStep): ReadonlySet<ServerStep> {
  const skippedSteps = new Set([...readSkippedSteps(), step]);
  localStorage.setItem(STORAGE_KEY, [...skippedSteps].join(" "));
  return skippedSteps;
}

/** Returns the steps named in a space-separated string. Ignores other words. */
export function parseSkippedSteps(text: string | null): ReadonlySet<ServerStep> {
  const words = new Set((text ?? "").split(" "));
  return new Set(SERVER_STEPS.filter((step) => words.has(step)));
}
