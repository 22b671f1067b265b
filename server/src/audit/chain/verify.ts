import type { Context } from "#context.ts";
import { toDay, CHAIN_DELAY_MS } from "../days.ts";
import { EVENT_RETENTION_MS } from "../retention/periods.ts";
import { hashIpAddress, type RecordedEvent } from "../store.ts";
import { DayDigest, GENESIS_DIGEST } from "./digest.ts";
import { readEventsOfDay, findFirstEventDay, listChainedDays, type ChainedDay } from "./store.ts";
import type { Witness } from "./witness.ts";

/** A fault of a day of the audit log. */
export type DayFault =
  /** The events or the digest of the day, or the digest of the day before, changed after the day was chained. */
  | "changed"
  /** The digest of the day is missing between chained days, or the day ended long ago and was never chained. */
  | "unsealed"
  /** The stored digest differs from a logged one, or is gone: the day was chained again or removed. */
  | "resealed"
  /** A network address is not the recorded one. */
  | "address";

/** A day and its fault. */
export interface FaultyDay {
  /** In days since the epoch. */
  readonly day: number;
  readonly fault: DayFault;
}

/** The faults that the verification found, and the days that it covers. */
export interface Verification {
  readonly faults: readonly FaultyDay[];
  /** The latest chained day and its digest; null if no day is chained. */
  readonly last: { readonly day: number; readonly digest: string } | null;
  /** The latest day whose digest matches a logged one, which covers the days before it; null if there is none. */
  readonly witnessedUntil: number | null;
  /** The number of chained days. */
  readonly chainedDays: number;
  /** Number of stored events of chained days. */
  readonly eventCount: number;
}

/**
 * Recomputes the chain and returns the days with faults. A changed day is one fault, because the next day is checked
 * against the stored digest of the day before. Days beyond the retention have only digests. Without witnesses,
 * recomputed digests are not detected.
 */
export async function verifyChain(
  context: Context,
  witnesses: readonly Witness[] = [],
): Promise<Verification> {
  const chainedDays = await listChainedDays(context);
  const faults = [...(await findEventsBeforeChain(context, chainedDays[0]))];
  const firstRetainedDay = toDay(context.now() - EVENT_RETENTION_MS) + 1;
  let previous: ChainedDay | null = null;
  let eventCount = 0;
  for (const chainedDay of chainedDays) {
    if (previous !== null) faults.push(...listMissingDays(previous.day, chainedDay.day));
    if (chainedDay.day >= firstRetainedDay) {
      const result = await verifyDay(context, {
        chainedDay,
        previousDigest: previous?.digest ?? GENESIS_DIGEST,
      });
      faults.push(...result.faults);
      eventCount += result.eventCount;
    }
    previous = chainedDay;
  }
  faults.push(...(await findUnchainedEvents(context, previous === null ? 0 : previous.day + 1)));
  const last = previous === null ? null : { day: previous.day, digest: previous.digest };
  const { resealedDays, witnessedUntil } = compareWithWitnesses(chainedDays, witnesses);
  for (const day of resealedDays) faults.push({ day, fault: "resealed" });
  return { faults, last, witnessedUntil, chainedDays: chainedDays.length, eventCount };
}

/** Returns a fault if events were added before the first chained day. */
async function findEventsBeforeChain(
  context: Context,
  firstChainedDay: ChainedDay | undefined,
): Promise<readonly FaultyDay[]> {
  const day = await findFirstEventDay(context, 0);
  if (day === null || firstChainedDay === undefined || day >= firstChainedDay.day) return [];
  return [{ day, fault: "changed" }];
}

/** Returns a fault for each day between two consecutive chained days. */
function listMissingDays(previousDay: number, nextDay: number): readonly FaultyDay[] {
  const dayCount = nextDay - previousDay - 1;
  return Array.from({ length: dayCount }, (_, index) => ({
    day: previousDay + 1 + index,
    fault: "unsealed",
  }));
}

/**
 * Returns a fault if events on or after `sinceDay` should be chained by now: a running server chains a day within
 * hours.
 */
async function findUnchainedEvents(
  context: Context,
  sinceDay: number,
): Promise<readonly FaultyDay[]> {
  const day = await findFirstEventDay(context, sinceDay);
  if (day === null || day >= toDay(context.now() - CHAIN_DELAY_MS) - 1) return [];
  return [{ day, fault: "unsealed" }];
}

/** Returns the days whose stored digest differs from a logged one, and the latest day whose digest matches. */
function compareWithWitnesses(chainedDays: readonly ChainedDay[], witnesses: readonly Witness[]) {
  const digests = new Map(chainedDays.map(({ day, digest }) => [day, digest]));
  const matches = ({ day, digest }: Witness) => digests.get(day) === digest;
  const resealedDays = new Set(
    witnesses.filter((witness) => !matches(witness)).map(({ day }) => day),
  );
  const matchingWitnesses = witnesses.filter(
    (witness) => matches(witness) && !resealedDays.has(witness.day),
  );
  return {
    resealedDays: [...resealedDays].toSorted((a, b) => a - b),
    witnessedUntil:
      matchingWitnesses.length === 0 ? null : Math.max(...matchingWitnesses.map(({ day }) => day)),
  };
}

async function verifyDay(
  context: Context,
  {
    chainedDay,
    previousDigest,
  }: { readonly chainedDay: ChainedDay; readonly previousDigest: string },
) {
  const { day } = chainedDay;
  const dayDigest = new DayDigest(day, previousDigest);
  let isAddressWrong = false;
  for await (const event of readEventsOfDay(context, day)) {
    dayDigest.add(event);
    isAddressWrong ||= !isRecordedAddress(event);
  }
  const { digest, eventCount } = dayDigest.finish();
  const faults: FaultyDay[] = [];
  const isUnchanged = digest === chainedDay.digest && eventCount === chainedDay.event_count;
  if (!isUnchanged) faults.push({ day, fault: "changed" });
  if (isAddressWrong) faults.push({ day, fault: "address" });
  return { faults, eventCount };
}

/** Returns false for an address that is not the recorded one. An erased address cannot be checked. */
function isRecordedAddress({
  address,
  address_salt: salt,
  address_hash: hash,
}: RecordedEvent): boolean {
  if (address === null) return true;
  return salt !== null && hashIpAddress(address, salt) === hash;
}
