import { createHash } from "node:crypto";
import type { RecordedEvent } from "../store.ts";

/** The digest before the first day. */
export const GENESIS = "";

/** Digests the events of one day, in the order of their ids. */
export class DayDigest {
  readonly #hash = createHash("sha256");
  #count = 0;

  /** `previous` is the digest of the day before; `GENESIS` for the first day. */
  constructor(day: number, previous: string) {
    this.#hash.update(`${previous}\n${day}\n`);
  }

  add(event: RecordedEvent): void {
    this.#hash.update(`${lineOf(event)}\n`);
    this.#count += 1;
  }

  /** Returns the digest, SHA-256 in hexadecimal, and the number of events; none may be added afterwards. */
  end(): { readonly digest: string; readonly eventCount: number } {
    return { digest: this.#hash.digest("hex"), eventCount: this.#count };
  }
}

/** Without the address and its salt, which are erased before the event: their hash stands for them. */
function lineOf(event: RecordedEvent): string {
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
