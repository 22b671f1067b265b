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

/** The symbol and colour of a channel, which make it easy to recognise. */
export interface ChannelStyle {
  /** An icon that fits the channel's name, or its first letter. */
  readonly symbol: Icon | string;
  /** Hue in degrees. */
  readonly hue: number;
}

const HUE_COUNT = 24;

/** Returns the symbol and colour of a channel. They depend only on its name. */
export function getChannelStyle(name: string): ChannelStyle {
  const [, icon] = ICONS_BY_NAME.find(([pattern]) => pattern.test(name)) ?? [];
  return {
    symbol: icon ?? (name[0] ?? "#").toUpperCase(),
    hue: (hashText(name) % HUE_COUNT) * (360 / HUE_COUNT),
  };
}

const ICONS_BY_NAME: readonly (readonly [RegExp, Icon])[] = [
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

/** The constants of the 32-bit FNV-1a hash (Fowler, Noll and Vo). */
const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Returns a 32-bit FNV-1a hash. Similar names have very different hashes. */
function hashText(text: string): number {
  let hash = FNV_OFFSET_BASIS;
  for (const letter of text) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), FNV_PRIME) >>> 0;
  }
  // Mixes in the high bits, because the low bits depend mainly on the last letter.
  return (hash ^ (hash >>> 15)) >>> 0;
}
