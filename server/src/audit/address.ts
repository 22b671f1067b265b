/** An IPv4 address as a socket names it that listens for both families, RFC 4291 section 2.5.5.2. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns the address of a caller as people write it: one that is mapped into IPv6 as the IPv4 address that it is. */
export function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address;
}
