import { fail, ok, warn, type Verdict } from "./finding.ts";
import type { AskedService } from "./push-services.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const GOOD_MS = 30 * SECOND_MS;
/** Beyond this difference, APNs and FCM refuse what we sign. */
const BEARABLE_MS = 5 * MINUTE_MS;
/** A `date` header is truncated to the second: the true time is half a second later, on average. */
const DATE_CUT_MS = SECOND_MS / 2;

/** Returns how far this machine's clock is from that of the push services. */
export function judgeClock(services: readonly AskedService[]): Verdict {
  const offsetMs = medianOf(services.flatMap(offsetOf));
  if (offsetMs === null) return explainSilence(services);
  const distanceMs = Math.abs(offsetMs);
  if (distanceMs < GOOD_MS) {
    const seconds = Math.round(distanceMs / SECOND_MS);
    return ok(`The clock agrees with the push services' (${seconds} s apart).`);
  }
  const side = offsetMs > 0 ? "ahead" : "behind";
  if (distanceMs < BEARABLE_MS) {
    return warn(`The clock is ${Math.round(distanceMs / SECOND_MS)} s ${side}.`, SET_CLOCK);
  }
  return fail(
    `The clock is ${Math.round(distanceMs / MINUTE_MS)} minutes ${side}: push services refuse what it signs.`,
    SET_CLOCK,
  );
}

const SET_CLOCK = "Set the clock of this machine, and keep it right with NTP.";

/** A clock that is far off makes good certificates seem bad, and every request fails. */
function explainSilence(services: readonly AskedService[]): Verdict {
  const isAboutTime = services.every(
    ({ asked }) => asked.kind === "silent" && OUT_OF_TIME.has(asked.fault.code ?? ""),
  );
  if (isAboutTime) {
    return fail("By this machine's clock, no push service has a valid certificate.", SET_CLOCK);
  }
  return warn(
    "The clock could not be compared: no push service returned the time.",
    "Let this server reach the push services, then run tocsin doctor again.",
  );
}

const OUT_OF_TIME: ReadonlySet<string> = new Set(["CERT_NOT_YET_VALID", "CERT_HAS_EXPIRED"]);

function offsetOf({ asked, at }: AskedService): readonly number[] {
  const date = asked.kind === "answered" ? asked.headers["date"] : undefined;
  const theirs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(theirs) ? [] : [at - theirs - DATE_CUT_MS];
}

/** With the median, one wrong clock among three has no effect. */
function medianOf(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}
