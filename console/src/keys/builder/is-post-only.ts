import type { ApiKey } from "@tocsin/sdk";

/**
 * Returns whether a key may be one that sends by POST alone. The list knows only the end of a pasted key: if two keys
 * share it, POST works with both.
 */
export function isPostOnly(
  keys: readonly Pick<ApiKey, "hint" | "postOnly">[],
  key: string,
): boolean {
  const end = key.toLowerCase();
  return keys.some(({ hint, postOnly }) => postOnly && end.endsWith(hint));
}
