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

/** Generates a P-256 certificate for DNS names and IPv4 addresses, valid for a day (RFC 5280 section 4.1). */
export function makeCertificate(names: readonly string[], nowMs: number = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const serial = randomBytes(15);
  const name = commonName(serial.toString("hex"));
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), serial])),
    ECDSA_WITH_SHA256,
    name,
    sequence(utcTime(nowMs - DAY_MS), utcTime(nowMs + DAY_MS)),
    name,
    spki,
    tagged(0xa3, sequence(AUTHORITY, alternativeNames(names))),
  );
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, ECDSA_WITH_SHA256, tagged(0x03, Buffer.of(0), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: new X509Certificate(der).toString(),
    spkiHash: createHash("sha256").update(spki).digest("base64"),
  };
}

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    /^[\d.]+$/u.test(name)
      ? tagged(0x87, Buffer.from(name.split(".").map(Number)))
      : tagged(0x82, Buffer.from(name)),
  );
  return sequence(objectId("551d11"), octets(sequence(...entries)));
}

/** Encodes a DER value: tag, minimal length and content. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length);
  return Buffer.concat([Buffer.of(tag), size, content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function integer(value: Buffer): Buffer {
  return tagged(0x02, value);
}

function octets(content: Buffer): Buffer {
  return tagged(0x04, content);
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

/** YYMMDDHHMMSSZ. */
function utcTime(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replaceAll(/\D/gu, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}

const TRUE = tagged(0x01, Buffer.of(0xff));

/** Subject and issuer, unique per certificate, because clients find trusted issuers by name. */
function commonName(serial: string): Buffer {
  const text = tagged(0x0c, Buffer.from(`Tocsin test double ${serial}`));
  return sequence(tagged(0x31, sequence(objectId("550403"), text)));
}

const ECDSA_WITH_SHA256 = sequence(objectId("2a8648ce3d040302"));

/** Basic constraints, critical: the certificate is its own authority. */
const AUTHORITY = sequence(objectId("551d13"), TRUE, octets(sequence(TRUE)));
