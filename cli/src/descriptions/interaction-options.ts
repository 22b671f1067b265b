import { INTERACTION_LIMITS } from "@tocsin/sdk";

const { autoResolveAfter, repeatEvery, expireAfter } = INTERACTION_LIMITS;

/** The options of `tocsin send` that ask somebody to act. */
export const INTERACTION_OPTIONS = {
  "incident-key": {
    type: "string",
    value: "TEXT",
    about:
      "names an incident; while it is open, a repeated send with the same text is counted, and nobody is told again",
  },
  acknowledge: {
    type: "boolean",
    about: "acknowledge the open incident of --incident-key, so that it stops ringing",
  },
  resolve: { type: "boolean", about: "resolve the open incident of --incident-key" },
  "auto-resolve-after": {
    type: "string",
    value: "SECONDS",
    about: `resolve the incident this long after its last trigger, ${formatRange(autoResolveAfter)}`,
  },
  "repeat-every": {
    type: "string",
    value: "SECONDS",
    about: `time between two rounds of an emergency, ${formatRange(repeatEvery)}; default ${repeatEvery.default}`,
  },
  "expire-after": {
    type: "string",
    value: "SECONDS",
    about: `an emergency rings at most this long, ${formatRange(expireAfter)}; default ${expireAfter.default}`,
  },
  escalation: {
    type: "string",
    value: "POLICY",
    about: "escalation policy of an emergency: its name or id; default that of the key",
  },
  callback: {
    type: "string",
    value: "URL",
    about: "https: URL that the server calls once somebody has acted or the time is over",
  },
} as const;

function formatRange({ min, max }: { readonly min: number; readonly max: number }): string {
  return `${min} to ${max}`;
}
