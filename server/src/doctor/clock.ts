import { fail, ok, warn, type Verdict } from "./finding.ts";
import type { ProbedService } from "./push-services.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** The largest offset without a warning. */
const OFFSET_OK_MS = 30 * SECOND_MS;
/** Beyond this offset, APNs and FCM reject signed tokens. */
const OFFSET_MAX_MS = 5 * MINUTE_MS;
/** A `date` header is truncated to the second, so the actual time is half a second later on average. */
const DATE_TRUNCATION_MS = SECOND_MS / 2;

/** Compares this machine's clock with the clocks of the push services. */
export function assessClock(services: readonly ProbedService[]): Verdict {
  const offsetMs = computeMedian(services.flatMap(computeOffsets));
  if (offsetMs === null) return explainMissingTime(services);
  const distanceMs = Math.abs(offsetMs);
  if (distanceMs < OFFSET_OK_MS) {
    const seconds = Math.round(distanceMs / SECOND_MS);
    return ok(`The clock agrees with the push services' (${seconds} s apart).`);
  }
  const direction = offsetMs > 0 ? "ahead" : "behind";
  if (distanceMs < OFFSET_MAX_MS) {
    return warn(
      `The clock is ${Math.round(distanceMs / SECOND_MS)} s ${direction}.`,
      SET_CLOCK_REMEDY,
    );
  }
  return fail(
    `The clock is ${Math.round(distanceMs / MINUTE_MS)} minutes ${direction}: push services refuse the tokens that this server signs.`,
    SET_CLOCK_REMEDY,
  );
}

const SET_CLOCK_REMEDY = "Set the clock of this machine, and keep it right with NTP.";

/** Explains why no service returned the time. With a very wrong clock, every valid certificate seems invalid. */
function explainMissingTime(services: readonly ProbedService[]): Verdict {
  const areAllCertificatesInvalid = services.every(
    ({ result }) => result.kind === "silent" && VALIDITY_ERROR_CODES.has(result.fault.code ?? ""),
  );
  if (areAllCertificatesInvalid) {
    return fail(
      "By this machine's clock, no push service has a valid certificate.",
      SET_CLOCK_REMEDY,
    );
  }
  return warn(
    "The clock could not be compared: no push service returned the time.",
    "Let this server reach the push services, then run tocsin doctor again.",
  );
}

const VALIDITY_ERROR_CODES: ReadonlySet<string> = new Set([
  "CERT_NOT_YET_VALID",
  "CERT_HAS_EXPIRED",
]);

/**
 * Returns a list with the offset of this machine's clock from a service's, in milliseconds. The list is empty if the
 * service returned no time.
 */
function computeOffsets({ result, probedAt }: ProbedService): readonly number[] {
  const date = result.kind === "answered" ? result.headers["date"] : undefined;
  const remoteTime = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(remoteTime) ? [] : [probedAt - remoteTime - DATE_TRUNCATION_MS];
}

/** Returns the median, so that one wrong clock among three has no effect; null for no numbers. */
function computeMedian(numbers: readonly number[]): number | null {
  const sortedNumbers = numbers.toSorted((a, b) => a - b);
  const upperMiddle = sortedNumbers[Math.floor(sortedNumbers.length / 2)];
  const lowerMiddle = sortedNumbers[Math.floor((sortedNumbers.length - 1) / 2)];
  return upperMiddle === undefined || lowerMiddle === undefined
    ? null
    : (lowerMiddle + upperMiddle) / 2;
}
