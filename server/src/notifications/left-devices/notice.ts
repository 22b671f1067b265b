import { EMPTY_CONTENT, type NotificationContent } from "@tocsin/sdk";

export interface NoticeInput {
  /** At least one, the first that left first; moments in milliseconds since the epoch. */
  readonly devices: readonly { readonly name: string; readonly leftAt: number }[];
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/** So many devices of one notice are named. */
const NAMED_MAX = 20;

/** Returns what an account is told of its devices that left, all in one notification. */
export function noticeOf({ devices, baseUrl }: NoticeInput): NotificationContent {
  const [first] = devices;
  const isOne = devices.length === 1;
  const rest = devices.length - NAMED_MAX;
  const lines = devices.slice(0, NAMED_MAX).map(({ name, leftAt }) => `${name}, ${atOf(leftAt)}`);
  const list = [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
  const body = isOne
    ? `Its push service says that it is no longer registered (${atOf(first?.leftAt ?? 0)}). Open Tocsin on it and turn notifications on again.`
    : `Their push services say that they are no longer registered:\n\n${list}\n\nOpen Tocsin on them and turn notifications on again.`;
  return {
    ...EMPTY_CONTENT,
    title: isOne
      ? `${first?.name ?? ""} gets no more notifications`
      : `${devices.length} devices get no more notifications`,
    body,
    channel: "devices",
    link: `${baseUrl}/devices`,
  };
}

/** To the minute: `2026-01-31 12:00 UTC`. */
function atOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, "2026-01-31T12:00".length).replace("T", " ")} UTC`;
}
