import type { Addressee, PersonalNotification, Sound } from "@tocsin/sdk";
import { SOUNDS } from "@tocsin/sdk";

/** What a notification is to say, as a person writes it; an empty field is not given. */
export interface Wording {
  readonly title: string;
  readonly body: string;
  readonly sound: string;
  readonly channel: string;
  readonly link: string;
  readonly image: string;
  readonly isTimeSensitive: boolean;
  readonly isMarkdown: boolean;
}

/** A notification that a person is writing. */
export interface Draft extends Wording {
  /** Whom it is for: `account`, or `group:`, `device:` or `team:` with an id. */
  readonly to: string;
  /** How long it is tried. */
  readonly ttlSeconds: number;
  /** The idempotency key of this very text: sent again after a lost answer, it arrives once. "" before there is one. */
  readonly sendKey: string;
}

/** How long a notification may be tried, in seconds. */
export const LIVES = {
  minutes: 600,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_419_200,
} as const;

/** A notification that says nothing, to all of one's devices. */
export const EMPTY_DRAFT: Draft = {
  to: "account",
  title: "",
  body: "",
  sound: "",
  channel: "",
  link: "",
  image: "",
  isTimeSensitive: false,
  isMarkdown: false,
  ttlSeconds: LIVES.day,
  sendKey: "",
};

/** Returns the request that sends a draft. */
export function requestOf(draft: Draft): PersonalNotification {
  const { to, title, body, sound, channel, link, image, isTimeSensitive, isMarkdown } = draft;
  const known = SOUNDS.find((name) => name === sound) satisfies Sound | undefined;
  return {
    title,
    body,
    to: addresseeOf(to),
    ...(known === undefined ? {} : { sound: known }),
    ...(channel === "" ? {} : { channel }),
    ...(link === "" ? {} : { link }),
    ...(image === "" ? {} : { image }),
    ...(isTimeSensitive ? { timeSensitive: true } : {}),
    ...(isMarkdown ? { markdown: true } : {}),
  };
}

/** Returns whom the text of a draft's `to` means. */
export function addresseeOf(to: string): Addressee {
  const [kind, id = ""] = to.split(":");
  if (kind === "group") return { kind, groupId: id };
  if (kind === "device") return { kind, deviceId: id };
  if (kind === "team") return { kind, teamId: id };
  return { kind: "account" };
}

/** Returns whom the address of the page names, as a draft says it; null where it names nobody. */
export function addresseeIn(search: Readonly<Record<string, unknown>>): string | null {
  for (const kind of ["group", "device", "team"] as const) {
    const id = search[kind];
    if (typeof id === "string" && id !== "") return `${kind}:${id}`;
  }
  return null;
}

/** Returns the draft that a text holds, as `JSON.stringify` wrote it; what is missing or odd is empty. */
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
