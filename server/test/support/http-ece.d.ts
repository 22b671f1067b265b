/** Types of the reference implementation of RFC 8188, limited to the functions that tests use. */
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
