import type { ApiKey } from "@tocsin/sdk";

/**
 * Returns whether a key may be POST-only. The list contains only the last characters of each key. If two keys have the
 * same last characters, POST works with both.
 */
export function isPostOnly(
  keys: readonly Pick<ApiKey, "hint" | "postOnly">[],
  key: string,
): boolean {
  const lowerCaseKey = key.toLowerCase();
  return keys.some(({ hint, postOnly }) => postOnly && lowerCaseKey.endsWith(hint));
}
