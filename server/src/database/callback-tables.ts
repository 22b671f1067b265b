/** A call to the receiver that a sender named. The rows of delivered calls are deleted. */
export interface CallbackTable {
  id: string;
  /** The first API key of the rotation chain that named the URL. */
  source_id: string;
  event:
    | "incident.acknowledged"
    | "incident.resolved"
    | "incident.expired"
    | "prompt.answered"
    | "prompt.expired";
  /** The incident or prompt. */
  subject_id: string;
  url: string;
  /** The body in JSON, the same at every attempt. */
  payload: string;
  created_at: number;
  /** The time of the next attempt, or of the end of a lease; null once the call was given up. */
  run_at: number | null;
  attempts: number;
  failed_at: number | null;
  /** Words about the last failed attempt, without the URL. */
  last_failure: string | null;
}

/** A secret that signs the calls of a source. */
export interface CallbackSecretTable {
  id: string;
  source_id: string;
  /** Sealed. */
  secret: string;
  created_at: number;
  /** The end of its validity, set once a newer secret exists. */
  expires_at: number | null;
}
