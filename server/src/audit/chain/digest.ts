import { createHash } from "node:crypto";
import type { RecordedEvent } from "../store.ts";

/** The previous digest of the first day. */
export const GENESIS_DIGEST = "";

/** Computes the digest of the events of one day, in the order of their ids. */
export class DayDigest {
  readonly #hash = createHash("sha256");
  #count = 0;

  /** `previousDigest` is the digest of the day before, or `GENESIS_DIGEST` for the first day. */
  constructor(day: number, previousDigest: string) {
    this.#hash.update(`${previousDigest}\n${day}\n`);
  }

  add(event: RecordedEvent): void {
    this.#hash.update(`${serializeEvent(event)}\n`);
    this.#count += 1;
  }

  /** Returns the digest (SHA-256 in hexadecimal) and the number of events. No event may be added afterwards. */
  finish(): { readonly digest: string; readonly eventCount: number } {
    return { digest: this.#hash.digest("hex"), eventCount: this.#count };
  }
}

/**
 * Returns the text of an event that the digest covers. The text contains the hash of the address, but not the address
 * and its salt, because these are erased before the event.
 */
function serializeEvent(event: RecordedEvent): string {
  return JSON.stringify([
    event.id,
    event.created_at,
    event.action,
    event.actor_kind,
    event.actor_account_id,
    event.actor_credential_id,
    event.account_id,
    event.team_id,
    event.subject_id,
    event.changes,
    event.user_agent,
    event.address_hash,
  ]);
}
