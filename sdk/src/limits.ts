/** The server's limits; lengths are in characters. */
export const LIMITS = {
  titleLength: 1_024,
  bodyLength: 32_768,
  linkLength: 2_048,
  imageLength: 2_048,
  channelLength: 64,
  idempotencyKeyLength: 255,
  /** The largest request body. */
  requestSizeBytes: 262_144,
  jsonDepth: 8,
  ttlSecondsMin: 1,
  ttlSecondsMax: 2_419_200,
  ttlSecondsDefault: 86_400,
  pageSizeMin: 1,
  pageSizeMax: 200,
  /** A synchronous send to a larger audience returns immediately, without results per device. */
  syncAudience: 500,
  /** Escalation policies of an account or of a team. */
  escalationPolicies: 50,
  escalationSteps: 10,
  escalationTargetsPerStep: 10,
  /** The latest step of an escalation policy: a day after the trigger. */
  escalationSecondsMax: 86_400,
  remindSecondsMin: 300,
  /** A week. */
  remindSecondsMax: 604_800,
} as const;
