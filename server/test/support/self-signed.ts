import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate and its private key, both PEM. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

// Tags of DER (ITU-T X.690).
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;

const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT_ID, Buffer.from("2a8648ce3d040302", "hex")));
const COMMON_NAME = der(OBJECT_ID, Buffer.from("550403", "hex"));
const SUBJECT_ALT_NAME = der(OBJECT_ID, Buffer.from("551d11", "hex"));

/** Returns a new certificate for one host name, good until 2049 and signed by itself (RFC 5280). */
export function selfSigned(hostname: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(hostname)))),
  );
  const validity = der(SEQUENCE, utc("200101000000Z"), utc("491231235959Z"));
  const names = der(OCTET_STRING, der(SEQUENCE, der(DNS_NAME, Buffer.from(hostname))));
  const body = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ format: "der", type: "spki" }),
    der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, names))),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign("sha256", body, privateKey));
  return {
    cert: pem(der(SEQUENCE, body, ECDSA_WITH_SHA256, signature)),
    key: privateKey.export({ format: "pem", type: "pkcs8" }),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

function utc(time: string): Buffer {
  return der(UTC_TIME, Buffer.from(time));
}

function pem(certificate: Buffer): string {
  const base64 = certificate.toString("base64").replaceAll(/.{64}/gu, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
}
