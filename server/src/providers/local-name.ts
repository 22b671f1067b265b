/** Domains without public hosts: reserved ones (RFC 6761, 6762, 7686, 8375, 9476), and usual ones of local networks. */
const LOCAL_SUFFIXES = [
  ".alt",
  ".arpa",
  ".corp",
  ".example",
  ".home",
  ".internal",
  ".intranet",
  ".invalid",
  ".lan",
  ".local",
  ".localdomain",
  ".localhost",
  ".onion",
  ".private",
  ".test",
];

/** Returns whether a host name, lower-case as in a parsed URL, cannot be a public name. */
export function isLocalName(hostname: string): boolean {
  if (!hostname.includes(".") || hostname.endsWith(".")) return true;
  return LOCAL_SUFFIXES.some((suffix) => hostname.endsWith(suffix));
}
