import type { Mail } from "#mail/mail.ts";
import { momentText } from "#mail/moment-text.ts";
import { plainName } from "#mail/plain-name.ts";
import type { ProviderName } from "#providers/provider.ts";
import { endpointHostOf } from "../address.ts";
import type { Device, Platform } from "../device.ts";

/** The kind of mail, by which a held one is found again. */
export const DEVICE_NOTICE = "device_notice";

/** The part of a device that its owner's mail needs. */
export type AnnouncedDevice = Pick<Device, "name" | "platform" | "address" | "createdAt">;

/** The recipient of a notice and the server's base URL, which has no trailing slash. */
export interface NoticeFor {
  readonly baseUrl: string;
  readonly to: string;
}

/** Returns the mail that tells an account of a new device. */
export function newDeviceMail(where: NoticeFor, device: AnnouncedDevice): Mail {
  const subject = "A new device gets your notifications";
  return notice(where, { subject, lines: [lineOf(device)], isOne: true, total: null });
}

/**
 * Returns the mail about devices that were added shortly after another one. It counts all of them, and names the given ones.
 */
export function moreDevicesMail(
  where: NoticeFor,
  input: {
    readonly devices: readonly AnnouncedDevice[];
    readonly count: number;
    /** The number of the account's devices now. */
    readonly total: number;
  },
): Mail {
  const { devices, count, total } = input;
  const rest = count - devices.length;
  const subject =
    count === 1
      ? "Another new device gets your notifications"
      : `${count} more devices get your notifications`;
  const lines = [...devices.map(lineOf), ...(rest > 0 ? [`  and ${rest} more`] : [])];
  return notice(where, { subject, lines, isOne: count === 1, total });
}

interface NoticeContent {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly isOne: boolean;
  readonly total: number | null;
}

/** The registering app chose the device's name, so the mail shows it without anything that could be taken for a link. */
function notice({ baseUrl, to }: NoticeFor, { subject, lines, isOne, total }: NoticeContent): Mail {
  const link = `${baseUrl}/devices`;
  return {
    purpose: DEVICE_NOTICE,
    to,
    subject,
    link,
    text: `Added to your Tocsin account at ${baseUrl}:

${lines.join("\n")}

From now on, ${isOne ? "it gets" : "they get"} every notification that is sent to you.${total === null ? "" : ` The account has ${total} devices now.`}

If it was you, there is nothing to do. If it was not, remove ${isOne ? "it" : "them"} on this page at once:

${link}

Then change your password in your profile, and end the sessions and access tokens there that are not
yours; or ask the administrator of the server.
`,
  };
}

function lineOf({ name, platform, address, createdAt }: AnnouncedDevice): string {
  const called = plainName(name) || "A device without a name";
  const through = endpointHostOf(address) ?? SERVICES[address.provider];
  return `  ${called} (${PLATFORMS[platform]}, through ${through}), on ${momentText(createdAt)}`;
}

const PLATFORMS: Readonly<Record<Platform, string>> = {
  ios: "iOS",
  android: "Android",
  web: "browser",
};

const SERVICES: Readonly<Record<ProviderName, string>> = {
  apns: "Apple's push service",
  fcm: "Firebase",
  webpush: "Web Push",
};
