/** Returns a pairing code in two groups: `ABCDE-FGHJK`. */
export function formatPairingCode(code: string): string {
  return code.replace(/^(.{5})(.{5})$/, "$1-$2");
}

/** Returns a duration as minutes and seconds, such as `9:05`; never below zero. */
export function formatCountdown(durationMs: number): string {
  const seconds = Math.max(0, Math.ceil(durationMs / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Returns the token in a pairing's link; empty if there is none. */
export function parsePairingToken(url: string): string {
  return new URLSearchParams(new URL(url).hash.slice(1)).get("token") ?? "";
}
