import { SOUNDS, type Addressee, type Notification, type PersonalNotification } from "@tocsin/sdk";
import { EMPTY_WORDING, givenIn, type Wording } from "../content/wording.ts";

/** A notification that a person is writing. */
export interface Draft extends Wording {
  /** Audience: `account`, or `group:`, `device:` or `team:` with an id. */
  readonly to: string;
  /** Time for which delivery is tried. */
  readonly ttlSeconds: number;
  /** Idempotency key of this exact text: sent again after a lost answer, it arrives once. "" before there is one. */
  readonly sendKey: string;
}

/** Times to live of a notification, in seconds. */
export const LIVES = {
  minutes: 600,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_419_200,
} as const;

/** Draft without content, to all devices of the account. */
export const EMPTY_DRAFT: Draft = {
  ...EMPTY_WORDING,
  to: "account",
  ttlSeconds: LIVES.day,
  sendKey: "",
};

/** Returns the request that sends a draft; a sound that is none is left out. */
export function requestOf(draft: Draft): PersonalNotification {
  const given = givenIn(draft).filter(
    ([name, value]) => name !== "sound" || SOUND_NAMES.has(value),
  );
  const content = Object.fromEntries(given) as unknown as Notification; // Title and body are always there.
  return { ...content, to: addresseeOf(draft.to) };
}

const SOUND_NAMES: ReadonlySet<unknown> = new Set(SOUNDS);

/** Returns the addressee that a draft's `to` names. */
export function addresseeOf(to: string): Addressee {
  const [kind, id = ""] = to.split(":");
  if (kind === "group") return { kind, groupId: id };
  if (kind === "device") return { kind, deviceId: id };
  if (kind === "team") return { kind, teamId: id };
  return { kind: "account" };
}

/** Returns the addressee in the page's address, in the form of a draft's `to`; null for none. */
export function addresseeIn(search: Readonly<Record<string, unknown>>): string | null {
  for (const kind of ["group", "device", "team"] as const) {
    const id = search[kind];
    if (typeof id === "string" && id !== "") return `${kind}:${id}`;
  }
  return null;
}

/** Returns the draft in a text that `JSON.stringify` wrote; missing or invalid fields are empty. */
export function parseDraft(text: string | null): Draft {
  const kept = objectIn(text);
  const words = Object.fromEntries(
    Object.entries(EMPTY_DRAFT).map(([name, empty]) => {
      const value = kept[name];
      return [name, typeof value === typeof empty ? value : empty];
    }),
  );
  return { ...EMPTY_DRAFT, ...words };
}

function objectIn(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    // Each field is checked where it is read.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
