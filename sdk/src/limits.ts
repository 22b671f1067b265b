/** The server's limits: maxima, unless the name ends in `Min` or `Default`. Lengths are in characters. */
export const LIMITS = {
  titleLength: 1_024,
  bodyLength: 32_768,
  linkLength: 2_048,
  imageLength: 2_048,
  channelLength: 64,
  idempotencyKeyLength: 255,
  /** The size of a request body. */
  requestSizeBytes: 262_144,
  jsonDepth: 8,
  ttlSecondsMin: 1,
  ttlSecondsMax: 2_419_200,
  ttlSecondsDefault: 86_400,
  pageSizeMin: 1,
  pageSizeMax: 200,
  /** Number of devices. A synchronous send to more devices returns immediately, without results per device. */
  syncAudience: 500,
  /** Number of escalation policies of an account or of a team. */
  escalationPolicies: 50,
  escalationSteps: 10,
  escalationTargetsPerStep: 10,
  /** The time from the trigger to the last step of an escalation policy: a day. */
  escalationSecondsMax: 86_400,
  /** The time from an acknowledgement until an unresolved incident rings again: from five minutes to a week. */
  remindSecondsMin: 300,
  remindSecondsMax: 604_800,
} as const;
