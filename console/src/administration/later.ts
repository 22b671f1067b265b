/** The first steps of a server that can be left as they are. */
export const SERVER_STEPS = ["address", "mail", "signUp"] as const;

/** One of them. */
export type ServerStep = (typeof SERVER_STEPS)[number];

const NAME = "tocsin-steps-left";

/** Returns the steps that somebody left as they are, in this browser. */
export function keptLater(): ReadonlySet<ServerStep> {
  return parseLater(localStorage.getItem(NAME));
}

/** Leaves a step as it is, and returns all that were left. */
export function keepLater(step: ServerStep): ReadonlySet<ServerStep> {
  const later = new Set([...keptLater(), step]);
  localStorage.setItem(NAME, [...later].join(" "));
  return later;
}

/** Returns the steps that a text names; what it names else is nothing to us. */
export function parseLater(text: string | null): ReadonlySet<ServerStep> {
  const named = new Set((text ?? "").split(" "));
  return new Set(SERVER_STEPS.filter((step) => named.has(step)));
}
