/**
 * Returns a generator of ids: UUID version 7 in lower case (RFC 9562 section 5.7). Each id is greater than the
 * previous one, even within a millisecond, and whatever time the clock shows.
 */
export function createIds(now: () => number): () => string {
  let last = 0;
  let counter = 0;
  return () => {
    const time = Math.max(now(), last);
    counter = time === last ? counter + 1 : createCounterSeed();
    // The counter overflows its 12 bits after 2,048 or more ids in a millisecond; ids then borrow the next millisecond.
    last = counter > COUNTER_MAX ? time + 1 : time;
    if (last !== time) counter = createCounterSeed();
    return formatId(last, counter);
  };
}

/** Returns the smallest possible id of `time`, as a bound for ranges of ids by age. */
export function toMinId(time: number): string {
  const hex = time.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Returns when an id was created, in milliseconds since the epoch: its first 48 bits. */
export function parseIdTime(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}

const COUNTER_MAX = 0xfff;
/** Seeds use half of the counter's range, which leaves room to count. */
const COUNTER_SEED_MAX = 0x800;

/** Number of random bytes per batch. Drawing them for each id takes longer than all other work. */
const POOL_BYTES = 4_096;
let digitPool = "";
let usedDigits = 0;

/** Returns `count` random hexadecimal digits, each used only once. */
function takeRandomDigits(count: number): string {
  if (usedDigits + count > digitPool.length) {
    digitPool = crypto.getRandomValues(Buffer.alloc(POOL_BYTES)).toString("hex");
    usedDigits = 0;
  }
  usedDigits += count;
  return digitPool.slice(usedDigits - count, usedDigits);
}

/** Returns the random start of the counter within a millisecond. */
function createCounterSeed(): number {
  return Number.parseInt(takeRandomDigits(3), 16) % COUNTER_SEED_MAX;
}

/** First digits of the fourth group: their upper two bits are the variant. */
const VARIANT_DIGITS = ["8", "9", "a", "b"] as const;

/** Returns the last two groups, 16 digits: the two bits of the variant and 62 random ones. */
function createRandomTail(): string {
  const variant = VARIANT_DIGITS[Number.parseInt(takeRandomDigits(1), 16) % 4];
  return `${variant}${takeRandomDigits(3)}-${takeRandomDigits(12)}`;
}

let prefixTime = -1;
let prefix = "";

/** Returns the first 48 bits, the same for all ids of a millisecond. */
function getTimePrefix(time: number): string {
  if (time !== prefixTime) {
    const hex = time.toString(16).padStart(12, "0");
    prefix = `${hex.slice(0, 8)}-${hex.slice(8)}`;
    prefixTime = time;
  }
  return prefix;
}

function formatId(time: number, counter: number): string {
  return `${getTimePrefix(time)}-7${counter.toString(16).padStart(3, "0")}-${createRandomTail()}`;
}
