import { fail, ok, warn, type Verdict } from "./finding.ts";
import type { ProbedService } from "./push-services.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const OFFSET_OK_MS = 30 * SECOND_MS;
/** Beyond this offset, APNs and FCM reject signed tokens. */
const OFFSET_MAX_MS = 5 * MINUTE_MS;
/** A `date` header is truncated to the second, so the actual time is half a second later on average. */
const DATE_TRUNCATION_MS = SECOND_MS / 2;

/** Compares this machine's clock with the clocks of the push services. */
export function assessClock(services: readonly ProbedService[]): Verdict {
  const offsetMs = computeMedian(services.flatMap(offsetOf));
  if (offsetMs === null) return explainSilence(services);
  const distanceMs = Math.abs(offsetMs);
  if (distanceMs < OFFSET_OK_MS) {
    const seconds = Math.round(distanceMs / SECOND_MS);
    return ok(`The clock agrees with the push services' (${seconds} s apart).`);
  }
  const direction = offsetMs > 0 ? "ahead" : "behind";
  if (distanceMs < OFFSET_MAX_MS) {
    return warn(`The clock is ${Math.round(distanceMs / SECOND_MS)} s ${direction}.`, SET_CLOCK);
  }
  return fail(
    `The clock is ${Math.round(distanceMs / MINUTE_MS)} minutes ${direction}: push services refuse what it signs.`,
    SET_CLOCK,
  );
}

const SET_CLOCK = "Set the clock of this machine, and keep it right with NTP.";

/** Explains a missing time. With a very wrong clock, every valid certificate seems invalid. */
function explainSilence(services: readonly ProbedService[]): Verdict {
  const areAllOutsideValidity = services.every(
    ({ outcome }) => outcome.kind === "silent" && VALIDITY_CODES.has(outcome.fault.code ?? ""),
  );
  if (areAllOutsideValidity) {
    return fail("By this machine's clock, no push service has a valid certificate.", SET_CLOCK);
  }
  return warn(
    "The clock could not be compared: no push service returned the time.",
    "Let this server reach the push services, then run tocsin doctor again.",
  );
}

const VALIDITY_CODES: ReadonlySet<string> = new Set(["CERT_NOT_YET_VALID", "CERT_HAS_EXPIRED"]);

function offsetOf({ outcome, at }: ProbedService): readonly number[] {
  const date = outcome.kind === "answered" ? outcome.headers["date"] : undefined;
  const remoteTime = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(remoteTime) ? [] : [at - remoteTime - DATE_TRUNCATION_MS];
}

/** Returns the median, so that one wrong clock among three has no effect; null for no numbers. */
function computeMedian(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}
