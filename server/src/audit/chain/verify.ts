import type { Context } from "#context.ts";
import { dayAt, RETENTION_MS, SEAL_DELAY_MS } from "../days.ts";
import { addressHash, type RecordedEvent } from "../store.ts";
import { DayDigest, GENESIS } from "./digest.ts";
import { eventsOfDay, findFirstDay, listSeals, type DaySeal } from "./store.ts";
import type { Witness } from "./witness.ts";

/** A fault of a day of the audit log. */
export type DayFault =
  /** Events were changed, added or removed after it was sealed; or its seal was, or that of the day before. */
  | "changed"
  /** Its seal is missing, between others that are there; or it was over long ago, and no server sealed it. */
  | "unsealed"
  /** A server logged another digest for it than its seal has, or it has no seal any more: it was sealed anew, or removed. */
  | "resealed"
  /** A network address is not the one that was recorded. */
  | "address";

/** A day and its fault. */
export interface FaultyDay {
  /** In days since the epoch. */
  readonly day: number;
  readonly fault: DayFault;
}

/** Result of the verification. */
export interface Verification {
  readonly faults: readonly FaultyDay[];
  /** The last sealed day, and its digest. */
  readonly last: { readonly day: number; readonly digest: string } | null;
  /** The last day whose digest a server logged as it is now; it covers the days before. Null where there is none. */
  readonly witnessedUntil: number | null;
  readonly sealedDays: number;
  /** Events on sealed days that are still kept. */
  readonly events: number;
}

/**
 * Computes the chain again and returns the days on which it breaks. One changed day is one fault: the next day is
 * compared with the digest that its own seal was computed from. Of days older than the retention only the seals are left. Without witnesses it finds
 * nothing where somebody computed all seals anew.
 */
export async function verifyChain(
  context: Context,
  witnesses: readonly Witness[] = [],
): Promise<Verification> {
  const seals = await listSeals(context);
  const faults: FaultyDay[] = [];
  const keptFrom = dayAt(context.now() - RETENTION_MS) + 1;
  let previous: DaySeal | null = null;
  let events = 0;
  const firstDay = await findFirstDay(context, 0);
  const [first] = seals;
  // Events that were added before the first seal.
  if (firstDay !== null && first !== undefined && firstDay < first.day) {
    faults.push({ day: firstDay, fault: "changed" });
  }
  for (const seal of seals) {
    for (let day = previous === null ? seal.day : previous.day + 1; day < seal.day; day += 1) {
      faults.push({ day, fault: "unsealed" });
    }
    if (seal.day >= keptFrom) {
      const found = await lookAtDay(context, { seal, previous: previous?.digest ?? GENESIS });
      faults.push(...found.faults);
      events += found.events;
    }
    previous = seal;
  }
  const open = await findFirstDay(context, previous === null ? 0 : previous.day + 1);
  // A running server seals a day within hours.
  if (open !== null && open < dayAt(context.now() - SEAL_DELAY_MS) - 1) {
    faults.push({ day: open, fault: "unsealed" });
  }
  const last = previous === null ? null : { day: previous.day, digest: previous.digest };
  const { resealed, witnessedUntil } = compare(seals, witnesses);
  for (const day of resealed) faults.push({ day, fault: "resealed" });
  return { faults, last, witnessedUntil, sealedDays: seals.length, events };
}

/** Returns the days whose seals are not those that were logged, and the last day whose seal is. */
function compare(seals: readonly DaySeal[], witnesses: readonly Witness[]) {
  const digests = new Map(seals.map(({ day, digest }) => [day, digest]));
  const isSame = ({ day, digest }: Witness) => digests.get(day) === digest;
  const resealed = new Set(witnesses.filter((logged) => !isSame(logged)).map(({ day }) => day));
  const same = witnesses.filter((logged) => isSame(logged) && !resealed.has(logged.day));
  return {
    resealed: [...resealed].toSorted((a, b) => a - b),
    witnessedUntil: same.length === 0 ? null : Math.max(...same.map(({ day }) => day)),
  };
}

async function lookAtDay(
  context: Context,
  { seal, previous }: { readonly seal: DaySeal; readonly previous: string },
) {
  const { day } = seal;
  const sum = new DayDigest(day, previous);
  let isAddressWrong = false;
  for await (const event of eventsOfDay(context, day)) {
    sum.add(event);
    isAddressWrong ||= !isOwnAddress(event);
  }
  const { digest, eventCount } = sum.end();
  const faults: FaultyDay[] = [];
  const isSame = digest === seal.digest && eventCount === seal.event_count;
  if (!isSame) faults.push({ day, fault: "changed" });
  if (isAddressWrong) faults.push({ day, fault: "address" });
  return { faults, events: eventCount };
}

/** Returns false for an address that is not the recorded one; an erased address cannot be checked. */
function isOwnAddress({ address, address_salt: salt, address_hash: hash }: RecordedEvent): boolean {
  if (address === null) return true;
  return salt !== null && addressHash(address, salt) === hash;
}
