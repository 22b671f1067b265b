/**
 * Returns a maker of ids: UUID version 7 in lower case (RFC 9562 section 5.7), each greater than the one
 * before, even within a millisecond or after the clock went back.
 */
export function createIds(now: () => number): () => string {
  let last = 0;
  let counter = 0;
  return () => {
    const time = Math.max(now(), last);
    counter = time === last ? counter + 1 : randomInt(COUNTER_SEED_MAX);
    // The counter fills its 12 bits only after 2,048 ids in a millisecond; then time is borrowed.
    last = counter > COUNTER_MAX ? time + 1 : time;
    if (last !== time) counter = randomInt(COUNTER_SEED_MAX);
    return format(last, counter);
  };
}

/** Returns the least id that a maker could give at `time`: for ranges of ids by age. */
export function leastIdAt(time: number): string {
  const hex = time.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Returns when an id was made, in milliseconds since the epoch: its first 48 bits. */
export function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}

const COUNTER_MAX = 0xfff;
/** Seeds use half of the counter's range, so that there is always room to count. */
const COUNTER_SEED_MAX = 0x800;

/** Asked for one by one, random bytes take longer than all the rest. */
const POOL_BYTES = 8 * 512;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Returns where in the pool so many bytes begin that nobody else gets. */
function take(bytes: number): number {
  if (used + bytes > POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}

/** Returns 16 hexadecimal digits: the variant's two bits and 62 random ones. */
function randomTail(): string {
  const begin = take(8);
  pool[begin] = ((pool[begin] ?? 0) & 0x3f) | 0x80;
  return pool.toString("hex", begin, begin + 8);
}

function format(time: number, counter: number): string {
  const hex = time.toString(16).padStart(12, "0");
  const tail = randomTail();
  const count = counter.toString(16).padStart(3, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

function randomInt(below: number): number {
  return pool.readUInt16LE(take(2)) % below;
}
