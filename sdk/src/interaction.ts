/** The limits of fields that ask somebody to act; times are in seconds, lengths in characters. */
export const INTERACTION_LIMITS = {
  incidentKeyLength: 255,
  policyNameLength: 255,
  autoResolveAfter: { min: 60, max: 2_592_000 },
  repeatEvery: { min: 30, max: 3_600, default: 60 },
  expireAfter: { min: 60, max: 86_400, default: 3_600 },
  /** The maximum number of rounds before an incident expires. */
  roundsMax: 100,
  callbackLength: 2_048,
  choices: { min: 2, max: 6 },
  choiceLength: 40,
  answerTextLength: 1_000,
  answersNeeded: { min: 1, max: 20, default: 1 },
} as const;

/** The event that a send reports for its incident. */
export type IncidentEventName = "trigger" | "acknowledge" | "resolve";

/** The optional fields of a send that ask somebody to act. */
export interface InteractionRequest {
  /** Names the incident, so that a later send finds it: at most 255 characters. */
  readonly incidentKey?: string | null;
  /** `trigger` by default; needs `incidentKey`. */
  readonly incidentEvent?: IncidentEventName | null;
  /** Resolves the incident this many seconds after its last trigger: 60 to 2,592,000. */
  readonly autoResolveAfter?: number | null;
  /** Seconds between two rounds of an emergency: 30 to 3,600, by default 60. */
  readonly repeatEvery?: number | null;
  /** Seconds until an emergency stops ringing, or a prompt ends: 60 to 86,400, by default 3,600. */
  readonly expireAfter?: number | null;
  /** The id or name of an escalation policy of the key's owner; by default the policy that is set on the key. */
  readonly escalation?: string | null;
  /** An `https:` URL of at most 2,048 characters that the server calls once somebody has acted or the time has run out. */
  readonly callback?: string | null;
  /** Makes the notification a prompt with these choices: 2 to 6 different texts of at most 40 characters. */
  readonly choices?: readonly string[] | null;
  /** Whether the answer may be a text of at most 1,000 characters. */
  readonly allowText?: boolean | null;
  /** The number of people who must give the same choice: 1 to 20, by default 1. */
  readonly answersNeeded?: number | null;
}

/** The reasons why a notification of an incident or a prompt is sent. */
export const CAUSES = [
  "trigger",
  "update",
  "ring",
  "step",
  "acknowledgement",
  "resolution",
  "reminder",
  "digest",
  "prompt",
  "answer",
] as const;

/** The reason why a notification of an incident or a prompt was sent. */
export type Cause = (typeof CAUSES)[number];

/** The incident or the prompt that a notification belongs to; null if it belongs to none. */
export interface InteractionReference {
  readonly incidentId: string | null;
  readonly promptId: string | null;
  readonly cause: Cause | null;
}
