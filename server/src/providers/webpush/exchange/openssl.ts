import { loadNative } from "#process/native.ts";
import type { Exchanged, ExchangeKeys } from "./exchange.ts";

/** OpenSSL's number of P-256 (`NID_X9_62_prime256v1`). */
const P256 = 415;
/** `POINT_CONVERSION_UNCOMPRESSED`. */
const UNCOMPRESSED = 4;
const POINT_BYTES = 65;
const SECRET_BYTES = 32;
const SIZE = { point: BigInt(POINT_BYTES), secret: BigInt(SECRET_BYTES) };
/** Offsets of input and output in the memory that is shared with OpenSSL. */
const RECEIVER_AT = 0;
const SENDER_AT = 128;
const SHARED_AT = 256;
const MEMORY_BYTES = 512;
const NULL = 0n;

/**
 * Returns the exchange by the functions of the OpenSSL that Node includes, or null if they cannot be called: without
 * `node:ffi`, or without these symbols.
 */
export function exchangeByOpenssl(): ExchangeKeys | null {
  const native = loadFunctions();
  if (native === null) return null;
  const memory = new ArrayBuffer(MEMORY_BYTES);
  return exchangeThrough(native.functions, { memory, base: native.addressOf(memory) });
}

type Functions = NonNullable<ReturnType<typeof loadFunctions>>["functions"];

function loadFunctions() {
  return loadNative({
    EC_KEY_new_by_curve_name: { arguments: ["i32"], return: "pointer" },
    EC_KEY_generate_key: { arguments: ["pointer"], return: "i32" },
    EC_KEY_get0_group: { arguments: ["pointer"], return: "pointer" },
    EC_KEY_get0_public_key: { arguments: ["pointer"], return: "pointer" },
    EC_KEY_free: { arguments: ["pointer"], return: "void" },
    EC_POINT_new: { arguments: ["pointer"], return: "pointer" },
    EC_POINT_oct2point: {
      arguments: ["pointer", "pointer", "pointer", "u64", "pointer"],
      return: "i32",
    },
    EC_POINT_point2oct: {
      arguments: ["pointer", "pointer", "i32", "pointer", "u64", "pointer"],
      return: "u64",
    },
    EC_POINT_free: { arguments: ["pointer"], return: "void" },
    ECDH_compute_key: {
      arguments: ["pointer", "u64", "pointer", "pointer", "pointer"],
      return: "i32",
    },
    ERR_clear_error: { arguments: [], return: "void" },
  });
}

/** Memory with a fixed address for the life of the process, which OpenSSL gets. */
interface SharedMemory {
  readonly memory: ArrayBuffer;
  readonly base: bigint;
}

function exchangeThrough(functions: Functions, { memory, base }: SharedMemory): ExchangeKeys {
  const receiverBytes = Buffer.from(memory, RECEIVER_AT, POINT_BYTES);
  const senderBytes = Buffer.from(memory, SENDER_AT, POINT_BYTES);
  const sharedBytes = Buffer.from(memory, SHARED_AT, SECRET_BYTES);
  const at = (offset: number) => base + BigInt(offset);
  const places = { receiver: at(RECEIVER_AT), sender: at(SENDER_AT), shared: at(SHARED_AT) };
  return (receiver): Exchanged | null => {
    if (receiver.length !== POINT_BYTES) return null;
    receiverBytes.set(receiver);
    if (!exchangeAt(functions, places)) return null;
    const exchanged = { sender: Buffer.from(senderBytes), shared: Buffer.from(sharedBytes) };
    sharedBytes.fill(0);
    return exchanged;
  };
}

interface Places {
  readonly receiver: bigint;
  readonly sender: bigint;
  readonly shared: bigint;
}

/**
 * Generates a key pair and frees it again, which overwrites its private half. Returns false if the receiver's point is not
 * on the curve.
 */
function exchangeAt(functions: Functions, places: Places): boolean {
  const key = allocated(functions.EC_KEY_new_by_curve_name(P256));
  const group = functions.EC_KEY_get0_group(key);
  const point = functions.EC_POINT_new(group);
  try {
    const isPoint = functions.EC_POINT_oct2point(
      group,
      allocated(point),
      places.receiver,
      SIZE.point,
      NULL,
    );
    if (isPoint !== 1) return false;
    done(functions.EC_KEY_generate_key(key) === 1);
    const sender = functions.EC_KEY_get0_public_key(key);
    done(
      functions.EC_POINT_point2oct(group, sender, UNCOMPRESSED, places.sender, SIZE.point, NULL) ===
        SIZE.point,
    );
    done(functions.ECDH_compute_key(places.shared, SIZE.secret, point, key, NULL) === SECRET_BYTES);
    return true;
  } finally {
    // An error left in the thread's queue would be reported by a later call.
    functions.ERR_clear_error();
    functions.EC_POINT_free(point);
    functions.EC_KEY_free(key);
  }
}

function allocated(pointer: bigint): bigint {
  done(pointer !== NULL);
  return pointer;
}

function done(isDone: boolean): void {
  if (!isDone) throw new Error("OpenSSL could not exchange keys.");
}
