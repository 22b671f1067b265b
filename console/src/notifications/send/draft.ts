import { SOUNDS, type Addressee, type Notification, type PersonalNotification } from "@tocsin/sdk";
import { EMPTY_FORM_CONTENT, getFilledFields, type FormContent } from "../content/form-content.ts";
import { NO_PROMPT, toPromptFields, type PromptDraft } from "./prompt-draft.ts";

/** An unsent notification in the form. */
export interface Draft extends FormContent, PromptDraft {
  /** The addressee: `account`, or `group:`, `device:` or `team:` with an id. */
  readonly to: string;
  /** The lifetime, in seconds: how long delivery is tried. */
  readonly ttlSeconds: number;
  /**
   * A key of this exact draft. With it, a notification that is sent again after a lost response arrives once. Empty for
   * none.
   */
  readonly idempotencyKey: string;
}

/** The lifetimes that a notification can have, in seconds. */
export const TTL_SECONDS = {
  minutes: 600,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_419_200,
} as const;

/** A draft without content, for all devices of the account. */
export const EMPTY_DRAFT: Draft = {
  ...EMPTY_FORM_CONTENT,
  ...NO_PROMPT,
  to: "account",
  ttlSeconds: TTL_SECONDS.day,
  idempotencyKey: "",
};

/** Returns the request that sends a draft. Omits an unknown sound. */
export function toSendRequest(draft: Draft): PersonalNotification {
  const fields = getFilledFields(draft).filter(
    ([name, value]) => name !== "sound" || SOUND_NAMES.has(value),
  );
  const content = Object.fromEntries(fields) as unknown as Notification; // `getFilledFields` always returns title and body.
  return { ...content, ...toPromptFields(draft), to: parseAddressee(draft.to) };
}

const SOUND_NAMES: ReadonlySet<unknown> = new Set(SOUNDS);

/** Parses a draft's `to`. Any unknown value means all devices of the account. */
export function parseAddressee(to: string): Addressee {
  const [kind, id = ""] = to.split(":");
  if (kind === "group") return { kind, groupId: id };
  if (kind === "device") return { kind, deviceId: id };
  if (kind === "team") return { kind, teamId: id };
  return { kind: "account" };
}

/** Returns the addressee in the page's query, in the format of a draft's `to`; null if there is none. */
export function parseAddresseeQuery(search: Readonly<Record<string, unknown>>): string | null {
  for (const kind of ["group", "device", "team"] as const) {
    const id = search[kind];
    if (typeof id === "string" && id !== "") return `${kind}:${id}`;
  }
  return null;
}

/** Parses a draft that `JSON.stringify` wrote. Missing or invalid fields are empty. */
export function parseDraft(text: string | null): Draft {
  const storedFields = parseObject(text);
  const fields = Object.fromEntries(
    Object.entries(EMPTY_DRAFT).map(([name, emptyValue]) => {
      const value = storedFields[name];
      return [name, typeof value === typeof emptyValue ? value : emptyValue];
    }),
  );
  return { ...EMPTY_DRAFT, ...fields };
}

function parseObject(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    // Each field is checked before its use.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
