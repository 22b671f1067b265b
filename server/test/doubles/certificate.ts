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

/** Tags of DER values (ITU-T X.690). */
const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context-specific tags of a certificate (RFC 5280 sections 4.1 and 4.2.1.6). */
const CERTIFICATE_TAGS = {
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

/** DER encodings of object ids (RFC 5280 appendix A; RFC 5758 section 3.2). */
const OBJECT_IDS = {
  commonName: "550403",
  subjectAltName: "551d11",
  basicConstraints: "551d13",
  ecdsaWithSha256: "2a8648ce3d040302",
} as const;

/** Version 3 is encoded as 2. */
const VERSION_3 = Buffer.of(2);

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
    encodeTagged(CERTIFICATE_TAGS.version, encodeInteger(VERSION_3)),
    // The first byte keeps the number positive.
    encodeInteger(Buffer.concat([Buffer.of(1), serial])),
    ECDSA_WITH_SHA256,
    name,
    encodeSequence(encodeUtcTime(nowMs - DAY_MS), encodeUtcTime(nowMs + DAY_MS)),
    name,
    spki,
    encodeTagged(
      CERTIFICATE_TAGS.extensions,
      encodeSequence(CERTIFICATE_AUTHORITY_EXTENSION, encodeAlternativeNames(names)),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  // A bit string begins with the number of unused bits.
  const signatureBits = encodeTagged(TAGS.bitString, Buffer.of(0), signature);
  const der = encodeSequence(body, ECDSA_WITH_SHA256, signatureBits);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: new X509Certificate(der).toString(),
    spkiHash: createHash("sha256").update(spki).digest("base64"),
  };
}

function encodeAlternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    /^[\d.]+$/u.test(name)
      ? encodeTagged(CERTIFICATE_TAGS.ipAddress, Buffer.from(name.split(".").map(Number)))
      : encodeTagged(CERTIFICATE_TAGS.dnsName, Buffer.from(name)),
  );
  return encodeSequence(
    encodeObjectId(OBJECT_IDS.subjectAltName),
    encodeOctets(encodeSequence(...entries)),
  );
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
  return encodeTagged(TAGS.sequence, ...parts);
}

function encodeInteger(value: Buffer): Buffer {
  return encodeTagged(TAGS.integer, value);
}

function encodeOctets(content: Buffer): Buffer {
  return encodeTagged(TAGS.octetString, content);
}

function encodeObjectId(hex: string): Buffer {
  return encodeTagged(TAGS.objectId, Buffer.from(hex, "hex"));
}

/** Encodes a UTCTime: YYMMDDHHMMSSZ. */
function encodeUtcTime(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replaceAll(/\D/gu, "").slice(2, 14);
  return encodeTagged(TAGS.utcTime, Buffer.from(`${digits}Z`));
}

const DER_TRUE = encodeTagged(TAGS.boolean, Buffer.of(0xff));

/** Encodes the subject and issuer, which are unique per certificate, because clients find trusted issuers by name. */
function encodeCommonName(serial: string): Buffer {
  const text = encodeTagged(TAGS.utf8String, Buffer.from(`Tocsin test double ${serial}`));
  return encodeSequence(
    encodeTagged(TAGS.set, encodeSequence(encodeObjectId(OBJECT_IDS.commonName), text)),
  );
}

const ECDSA_WITH_SHA256 = encodeSequence(encodeObjectId(OBJECT_IDS.ecdsaWithSha256));

/** Basic constraints, critical: the certificate is its own authority. */
const CERTIFICATE_AUTHORITY_EXTENSION = encodeSequence(
  encodeObjectId(OBJECT_IDS.basicConstraints),
  DER_TRUE,
  encodeOctets(encodeSequence(DER_TRUE)),
);
