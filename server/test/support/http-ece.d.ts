/** The reference implementation of RFC 8188, which comes without types; only what the tests use. */
declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  interface Parameters {
    readonly version: "aes128gcm";
    /** The receiver's key pair. */
    readonly privateKey: ECDH;
    /** base64url. */
    readonly authSecret: string;
  }

  export function decrypt(body: Buffer, parameters: Parameters): Buffer;
}
