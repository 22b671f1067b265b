import { EMPTY_CONTENT, type NotificationContent } from "@tocsin/sdk";

/** The devices that left, and the server's base URL for the link. */
export interface LeftDevicesNoticeInput {
  /** At least one, in the order in which they left. Times are milliseconds since the epoch. */
  readonly devices: readonly { readonly name: string; readonly leftAt: number }[];
  /** The URL has no trailing slash. */
  readonly baseUrl: string;
}

/** The maximum number of devices that a notice names. */
const NAMED_DEVICES_MAX = 20;

/** Returns the content of one notification about all devices. */
export function composeLeftDevicesNotice({
  devices,
  baseUrl,
}: LeftDevicesNoticeInput): NotificationContent {
  const [first] = devices;
  const isSingle = devices.length === 1;
  const unlistedCount = devices.length - NAMED_DEVICES_MAX;
  const lines = devices
    .slice(0, NAMED_DEVICES_MAX)
    .map(({ name, leftAt }) => `${name}, ${formatMinute(leftAt)}`);
  const list = [...lines, ...(unlistedCount > 0 ? [`and ${unlistedCount} more`] : [])].join("\n");
  const body = isSingle
    ? `Its push service says that it is no longer registered (${formatMinute(first?.leftAt ?? 0)}). Open Tocsin on it and turn notifications on again.`
    : `Their push services say that they are no longer registered:\n\n${list}\n\nOpen Tocsin on them and turn notifications on again.`;
  return {
    ...EMPTY_CONTENT,
    title: isSingle
      ? `${first?.name ?? ""} gets no more notifications`
      : `${devices.length} devices get no more notifications`,
    body,
    channel: "devices",
    link: `${baseUrl}/devices`,
  };
}

/** Returns a time to the minute: `2026-01-31 12:00 UTC`. */
function formatMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, "2026-01-31T12:00".length).replace("T", " ")} UTC`;
}
