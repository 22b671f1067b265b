/** Names that mean something only inside one network or on no network at all (RFC 6761, 6762, 7686, 8375, 9476). */
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

/** Says whether a host name, lower-case as a parsed URL gives it, cannot be a name on the public internet. */
export function isLocalName(hostname: string): boolean {
  if (!hostname.includes(".") || hostname.endsWith(".")) return true;
  return LOCAL_SUFFIXES.some((suffix) => hostname.endsWith(suffix));
}
