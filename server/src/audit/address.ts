/** An IPv4-mapped IPv6 address, as dual-stack sockets report it (RFC 4291 section 2.5.5.2). */
const MAPPED_ADDRESS = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns an IP address in its usual form: an IPv4-mapped IPv6 address as IPv4. */
export function normaliseAddress(address: string): string {
  return MAPPED_ADDRESS.exec(address)?.[1] ?? address;
}
