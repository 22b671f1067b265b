import { loadNativeFunctions } from "#process/native.ts";
import type { KeyAgreement, ExchangeKeys } from "./exchange.ts";

/** OpenSSL's id of the curve P-256 (`NID_X9_62_prime256v1`). */
const P256_CURVE_ID = 415;
/** OpenSSL's id of the uncompressed encoding of a point (`POINT_CONVERSION_UNCOMPRESSED`). */
const UNCOMPRESSED_POINT_FORM = 4;
const POINT_BYTES = 65;
const SECRET_BYTES = 32;
/** The same sizes in the type of OpenSSL's parameters. */
const SIZE = { point: BigInt(POINT_BYTES), secret: BigInt(SECRET_BYTES) };
/** Offsets of the input and output in the memory shared with OpenSSL. */
const RECEIVER_OFFSET = 0;
const SENDER_OFFSET = 128;
const SECRET_OFFSET = 256;
const MEMORY_BYTES = 512;
const NULL_POINTER = 0n;

/** Returns a key exchange that calls the OpenSSL bundled with Node, or null if `node:ffi` or a symbol is missing. */
export function createOpensslExchange(): ExchangeKeys | null {
  const native = loadFunctions();
  if (native === null) return null;
  const memory = new ArrayBuffer(MEMORY_BYTES);
  return createExchange(native.functions, { memory, base: native.addressOf(memory) });
}

type OpensslFunctions = NonNullable<ReturnType<typeof loadFunctions>>["functions"];

function loadFunctions() {
  return loadNativeFunctions({
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

/** Memory that OpenSSL reads and writes. Its address `base` is fixed for the lifetime of the process. */
interface SharedMemory {
  readonly memory: ArrayBuffer;
  readonly base: bigint;
}

function createExchange(functions: OpensslFunctions, { memory, base }: SharedMemory): ExchangeKeys {
  const receiverBytes = Buffer.from(memory, RECEIVER_OFFSET, POINT_BYTES);
  const senderBytes = Buffer.from(memory, SENDER_OFFSET, POINT_BYTES);
  const secretBytes = Buffer.from(memory, SECRET_OFFSET, SECRET_BYTES);
  const pointerAt = (offset: number) => base + BigInt(offset);
  const pointers = {
    receiverPublicKey: pointerAt(RECEIVER_OFFSET),
    senderPublicKey: pointerAt(SENDER_OFFSET),
    sharedSecret: pointerAt(SECRET_OFFSET),
  };
  return (receiverPublicKey): KeyAgreement | null => {
    if (receiverPublicKey.length !== POINT_BYTES) return null;
    receiverBytes.set(receiverPublicKey);
    if (!exchangeKeysInMemory(functions, pointers)) return null;
    const agreement = {
      senderPublicKey: Buffer.from(senderBytes),
      sharedSecret: Buffer.from(secretBytes),
    };
    secretBytes.fill(0);
    return agreement;
  };
}

/** The addresses in the shared memory, where OpenSSL reads the receiver's key and writes the two others. */
interface Pointers {
  readonly receiverPublicKey: bigint;
  readonly senderPublicKey: bigint;
  readonly sharedSecret: bigint;
}

/**
 * Generates a key pair, exchanges keys with it, and frees it, which overwrites the private key. Returns false if the
 * receiver's point is not on the curve.
 */
function exchangeKeysInMemory(functions: OpensslFunctions, pointers: Pointers): boolean {
  const key = requireAllocated(functions.EC_KEY_new_by_curve_name(P256_CURVE_ID));
  const group = functions.EC_KEY_get0_group(key);
  const point = functions.EC_POINT_new(group);
  try {
    const decodeResult = functions.EC_POINT_oct2point(
      group,
      requireAllocated(point),
      pointers.receiverPublicKey,
      SIZE.point,
      NULL_POINTER,
    );
    if (decodeResult !== 1) return false;
    requireSuccess(functions.EC_KEY_generate_key(key) === 1);
    const senderPublicKey = functions.EC_KEY_get0_public_key(key);
    requireSuccess(
      functions.EC_POINT_point2oct(
        group,
        senderPublicKey,
        UNCOMPRESSED_POINT_FORM,
        pointers.senderPublicKey,
        SIZE.point,
        NULL_POINTER,
      ) === SIZE.point,
    );
    requireSuccess(
      functions.ECDH_compute_key(pointers.sharedSecret, SIZE.secret, point, key, NULL_POINTER) ===
        SECRET_BYTES,
    );
    return true;
  } finally {
    // A later call would report an error that stays in the thread's queue.
    functions.ERR_clear_error();
    functions.EC_POINT_free(point);
    functions.EC_KEY_free(key);
  }
}

function requireAllocated(pointer: bigint): bigint {
  requireSuccess(pointer !== NULL_POINTER);
  return pointer;
}

function requireSuccess(isSuccess: boolean): void {
  if (!isSuccess) throw new Error("OpenSSL could not exchange keys.");
}
