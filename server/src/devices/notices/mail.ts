import type { Mail } from "#mail/mail.ts";
import { formatMailTime } from "#mail/format-mail-time.ts";
import { toPlainName } from "#mail/plain-name.ts";
import type { ProviderName } from "#providers/provider.ts";
import { getEndpointHost } from "../address.ts";
import type { Device, Platform } from "../device.ts";

/** The purpose of these emails, by which the outbox finds the held email to an address. */
export const DEVICE_NOTICE = "device_notice";

/** The part of a device that its owner's email needs. */
export type AnnouncedDevice = Pick<Device, "name" | "platform" | "address" | "createdAt">;

/** The recipient of a notice and the server's base URL, which has no trailing slash. */
export interface NoticeRecipient {
  readonly baseUrl: string;
  readonly to: string;
}

/** Returns the email that notifies an account of a new device. */
export function composeNewDeviceMail(recipient: NoticeRecipient, device: AnnouncedDevice): Mail {
  const subject = "A new device gets your notifications";
  return composeMail(recipient, {
    subject,
    lines: [formatDevice(device)],
    isSingle: true,
    total: null,
  });
}

/**
 * Returns the email about devices that were added shortly after another one. The email counts all new devices and names
 * the given ones.
 */
export function composeMoreDevicesMail(
  recipient: NoticeRecipient,
  input: {
    readonly devices: readonly AnnouncedDevice[];
    readonly count: number;
    /** The number of the account's devices now. */
    readonly total: number;
  },
): Mail {
  const { devices, count, total } = input;
  const unlistedCount = count - devices.length;
  const subject =
    count === 1
      ? "Another new device gets your notifications"
      : `${count} more devices get your notifications`;
  const lines = [
    ...devices.map(formatDevice),
    ...(unlistedCount > 0 ? [`  and ${unlistedCount} more`] : []),
  ];
  return composeMail(recipient, { subject, lines, isSingle: count === 1, total });
}

interface MailContent {
  readonly subject: string;
  /** The lines about the devices. */
  readonly lines: readonly string[];
  /** Whether the email is about one device. */
  readonly isSingle: boolean;
  /** The number of the account's devices now; null omits it. */
  readonly total: number | null;
}

/** The registering app chose the device's name, so the email shows it without anything that looks like a link. */
function composeMail(
  { baseUrl, to }: NoticeRecipient,
  { subject, lines, isSingle, total }: MailContent,
): Mail {
  const link = `${baseUrl}/devices`;
  return {
    purpose: DEVICE_NOTICE,
    to,
    subject,
    link,
    text: `Added to your Tocsin account at ${baseUrl}:

${lines.join("\n")}

From now on, ${isSingle ? "it gets" : "they get"} every notification that is sent to you.${total === null ? "" : ` The account has ${total} devices now.`}

If it was you, there is nothing to do. If it was not you, remove ${isSingle ? "it" : "them"} on this page immediately:

${link}

Then open "Profile & security", change your password there, and end the sessions and access tokens
that are not yours. If that does not work, ask the administrator of the server for help.
`,
  };
}

function formatDevice({ name, platform, address, createdAt }: AnnouncedDevice): string {
  const displayName = toPlainName(name) || "A device without a name";
  const serviceName = getEndpointHost(address) ?? SERVICE_NAMES[address.provider];
  return `  ${displayName} (${PLATFORM_NAMES[platform]}, through ${serviceName}), on ${formatMailTime(createdAt)}`;
}

const PLATFORM_NAMES: Readonly<Record<Platform, string>> = {
  ios: "iOS",
  android: "Android",
  web: "browser",
};

const SERVICE_NAMES: Readonly<Record<ProviderName, string>> = {
  apns: "Apple's push service",
  fcm: "Firebase",
  webpush: "Web Push",
  stream: "a live connection",
};
