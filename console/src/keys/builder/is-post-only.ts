import type { ApiKey } from "@tocsin/sdk";

/**
 * True where a key may be one of those that send by POST alone. Of a key that is pasted its end is all that the list knows:
 * where two share it, POST works with both.
 */
export function isPostOnly(
  keys: readonly Pick<ApiKey, "hint" | "postOnly">[],
  key: string,
): boolean {
  const end = key.toLowerCase();
  return keys.some(({ hint, postOnly }) => postOnly && end.endsWith(hint));
}
