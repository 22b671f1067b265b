/** First steps of a server that can be skipped. */
export const SERVER_STEPS = ["address", "mail", "signUp"] as const;

/** A step that can be skipped. */
export type ServerStep = (typeof SERVER_STEPS)[number];

const NAME = "tocsin-steps-left";

/** Returns the steps that were skipped in this browser. */
export function keptLater(): ReadonlySet<ServerStep> {
  return parseLater(localStorage.getItem(NAME));
}

/** Skips a step in this browser, and returns all skipped steps. */
export function keepLater(step: ServerStep): ReadonlySet<ServerStep> {
  const later = new Set([...keptLater(), step]);
  localStorage.setItem(NAME, [...later].join(" "));
  return later;
}

/** Returns the steps that a text names; other words are ignored. */
export function parseLater(text: string | null): ReadonlySet<ServerStep> {
  const named = new Set((text ?? "").split(" "));
  return new Set(SERVER_STEPS.filter((step) => named.has(step)));
}
