import {
  IconArchive,
  IconBell,
  IconBrandGithub,
  IconBrandGitlab,
  IconCalendar,
  IconChartBar,
  IconCreditCard,
  IconHeartbeat,
  IconHome,
  IconMail,
  IconRocket,
  IconServer,
  IconShield,
  type Icon,
} from "@tabler/icons-react";

/** Sign and colour that tell a channel from others at a glance. */
export interface ChannelLook {
  /** An icon that its name suggests, or a letter. */
  readonly sign: Icon | string;
  /** In degrees. */
  readonly hue: number;
}

const HUES = 24;

/** Returns the sign and colour of a channel, the same for a name in every browser. */
export function channelLook(name: string): ChannelLook {
  const [, icon] = SIGNS.find(([words]) => words.test(name)) ?? [];
  return {
    sign: icon ?? (name[0] ?? "#").toUpperCase(),
    hue: (hashOf(name) % HUES) * (360 / HUES),
  };
}

const SIGNS: readonly (readonly [RegExp, Icon])[] = [
  [/^feed$/i, IconBell],
  [/github/i, IconBrandGithub],
  [/gitlab/i, IconBrandGitlab],
  [/backup|archive|snapshot/i, IconArchive],
  [/deploy|release|build|^ci$|pipeline/i, IconRocket],
  [/grafana|metric|prometheus/i, IconChartBar],
  [/uptime|health|monitor|kuma/i, IconHeartbeat],
  [/security|auth|login/i, IconShield],
  [/home|door|garage/i, IconHome],
  [/mail/i, IconMail],
  [/calendar|remind/i, IconCalendar],
  [/invoice|payment|billing|order/i, IconCreditCard],
  [/server|host|ops|infra|kubernetes/i, IconServer],
];

/** FNV-1a, in 32 bits: hashes of names that differ in one letter are far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  // The low bits alone would depend on the last letter.
  return (hash ^ (hash >>> 15)) >>> 0;
}
