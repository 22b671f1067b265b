/** Returns a pairing code in readable groups: `ABCDE-FGHJK`. */
export function readableCode(code: string): string {
  return code.replace(/^(.{5})(.{5})$/, "$1-$2");
}

/** Returns milliseconds as a countdown clock: `9:05`; never below zero. */
export function clockOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Returns the token in a pairing's link. */
export function tokenOf(url: string): string {
  return new URLSearchParams(new URL(url).hash.slice(1)).get("token") ?? "";
}
