/** A callback to the receiver that a sender named. The row of a delivered one is deleted. */
export interface CallbackTable {
  id: string;
  /** The first API key of the rotation chain that named the URL. */
  source_id: string;
  event:
    | "incident.escalated"
    | "incident.acknowledged"
    | "incident.resolved"
    | "incident.expired"
    | "prompt.answered"
    | "prompt.expired";
  /** The incident or prompt. */
  subject_id: string;
  url: string;
  /** The body in JSON, the same at every attempt; empty once the callback was given up. */
  payload: string;
  created_at: number;
  /** The time of the next attempt, or of the end of a lease; null once the callback was given up. */
  run_at: number | null;
  attempts: number;
  failed_at: number | null;
  /** Why the last failed attempt failed, without the URL. */
  last_failure: string | null;
}

/** A secret that signs the callbacks of a source. */
export interface CallbackSecretTable {
  id: string;
  source_id: string;
  /** Sealed if the server's secrets are sealed. */
  secret: string;
  created_at: number;
  /** The end of the secret's validity; null for the newest secret. */
  expires_at: number | null;
}
