/** The recipient that a user key of Pushover's API names: an account, or a device group or team. */
export interface PushoverRecipient {
  readonly kind: "account" | "group";
  /** The id of the account, or of the device group or team. */
  readonly id: string;
}

/** The first character of the keys of users and of groups (pushover.net/api). */
const PREFIXES = { account: "u", group: "g" } as const;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = BigInt(DIGITS.length);
/** Programs refuse user keys that have another number of characters than 30, with the prefix. */
const DIGIT_COUNT = 29;
/** An id is a UUID of 128 bits. */
const ID_MAX = 2n ** 128n - 1n;

/**
 * Returns the user key of a recipient, as programs that send to Pushover need it beside a token: 30 letters and digits. It is
 * the id in base 62 and no secret.
 */
export function formatPushoverUserKey({ kind, id }: PushoverRecipient): string {
  const digits: string[] = [];
  for (let rest = BigInt(`0x${id.replaceAll("-", "")}`); rest > 0n; rest /= BASE) {
    digits.unshift(DIGITS[Number(rest % BASE)] ?? "");
  }
  return `${PREFIXES[kind]}${digits.join("").padStart(DIGIT_COUNT, "0")}`;
}

/** Returns the recipient that a user key names; null for any other text. */
export function parsePushoverUserKey(text: string): PushoverRecipient | null {
  const match = /^([ug])([0-9A-Za-z]{29})$/.exec(text);
  if (match === null) return null;
  const [, prefix = "", digits = ""] = match;
  const value = Array.from(digits).reduce(
    (sum, digit) => sum * BASE + BigInt(DIGITS.indexOf(digit)),
    0n,
  );
  if (value > ID_MAX) return null;
  const hex = value.toString(16).padStart(32, "0");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { kind: prefix === PREFIXES.account ? "account" : "group", id };
}
