import type { ApiKey } from "@tocsin/sdk";

/**
 * Returns whether a key may be POST-only. The list contains only the end of each key. If two keys have the same end, POST
 * works with both.
 */
export function isPostOnly(
  keys: readonly Pick<ApiKey, "hint" | "postOnly">[],
  key: string,
): boolean {
  const lowerCaseKey = key.toLowerCase();
  return keys.some(({ hint, postOnly }) => postOnly && lowerCaseKey.endsWith(hint));
}
