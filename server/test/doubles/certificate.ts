import { X509Certificate, createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A key and a self-signed certificate, which clients must trust. */
export interface Certificate {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly cert: string;
  /** SHA-256 of the public key, base64, for Chromium's flags. */
  readonly spkiHash: string;
}

const DAY_MS = 86_400_000;

/**
 * Generates a P-256 certificate for DNS names and IPv4 addresses (RFC 5280 section 4.1), valid from a day before
 * `nowMs` to a day after.
 */
export function generateCertificate(
  names: readonly string[],
  nowMs: number = Date.now(),
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const serial = randomBytes(15);
  const name = encodeCommonName(serial.toString("hex"));
  const body = encodeSequence(
    encodeTagged(0xa0, encodeInteger(Buffer.of(2))),
    encodeInteger(Buffer.concat([Buffer.of(1), serial])),
    ECDSA_WITH_SHA256,
    name,
    encodeSequence(encodeUtcTime(nowMs - DAY_MS), encodeUtcTime(nowMs + DAY_MS)),
    name,
    spki,
    encodeTagged(
      0xa3,
      encodeSequence(CERTIFICATE_AUTHORITY_EXTENSION, encodeAlternativeNames(names)),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const der = encodeSequence(body, ECDSA_WITH_SHA256, encodeTagged(0x03, Buffer.of(0), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: new X509Certificate(der).toString(),
    spkiHash: createHash("sha256").update(spki).digest("base64"),
  };
}

function encodeAlternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    /^[\d.]+$/u.test(name)
      ? encodeTagged(0x87, Buffer.from(name.split(".").map(Number)))
      : encodeTagged(0x82, Buffer.from(name)),
  );
  return encodeSequence(encodeObjectId("551d11"), encodeOctets(encodeSequence(...entries)));
}

/** Encodes a DER value: tag, minimal length and content. */
function encodeTagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length);
  return Buffer.concat([Buffer.of(tag), size, content]);
}

function encodeSequence(...parts: readonly Buffer[]): Buffer {
  return encodeTagged(0x30, ...parts);
}

function encodeInteger(value: Buffer): Buffer {
  return encodeTagged(0x02, value);
}

function encodeOctets(content: Buffer): Buffer {
  return encodeTagged(0x04, content);
}

function encodeObjectId(hex: string): Buffer {
  return encodeTagged(0x06, Buffer.from(hex, "hex"));
}

/** Encodes a UTCTime: YYMMDDHHMMSSZ. */
function encodeUtcTime(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replaceAll(/\D/gu, "").slice(2, 14);
  return encodeTagged(0x17, Buffer.from(`${digits}Z`));
}

const DER_TRUE = encodeTagged(0x01, Buffer.of(0xff));

/** Encodes the subject and issuer, which are unique per certificate, because clients find trusted issuers by name. */
function encodeCommonName(serial: string): Buffer {
  const text = encodeTagged(0x0c, Buffer.from(`Tocsin test double ${serial}`));
  return encodeSequence(encodeTagged(0x31, encodeSequence(encodeObjectId("550403"), text)));
}

const ECDSA_WITH_SHA256 = encodeSequence(encodeObjectId("2a8648ce3d040302"));

/** Basic constraints, critical: the certificate is its own authority. */
const CERTIFICATE_AUTHORITY_EXTENSION = encodeSequence(
  encodeObjectId("551d13"),
  DER_TRUE,
  encodeOctets(encodeSequence(DER_TRUE)),
);
