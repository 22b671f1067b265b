/** Stands for a key where none is at hand. */
export const KEY_PLACEHOLDER = "<API_KEY>";

/** Returns the shell command that sends a first notification. */
export function curlCommand(origin: string, key: string): string {
  return [
    `curl ${origin}/api/v1/notify \\`,
    `  -H 'x-api-key: ${key}' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"title":"Hello","body":"From the command line"}'`,
  ].join("\n");
}
