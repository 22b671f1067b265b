import {
  IconAlertTriangle,
  IconBell,
  IconChartBar,
  IconDevices,
  IconKey,
  IconListDetails,
  IconSend,
  IconServer,
  IconSettings,
  IconBroadcast,
  IconStack2,
  IconStairsUp,
  IconUsers,
  type Icon,
} from "@tabler/icons-react";
import { PATHS } from "../paths.ts";

/** A page in the navigation. */
export interface NavigationPage {
  readonly path: (typeof PATHS)[
    | "feed"
    | "incidents"
    | "groups"
    | "teams"
    | "policies"
    | "send"
    | "log"
    | "devices"
    | "keys"
    | "activity"
    | "providers"
    | "administration"
    | "settings"];
  readonly label:
    | "shell.feed"
    | "shell.incidents"
    | "shell.groups"
    | "shell.teams"
    | "shell.policies"
    | "shell.send"
    | "shell.log"
    | "shell.devices"
    | "shell.keys"
    | "shell.activity"
    | "shell.providers"
    | "shell.administration"
    | "shell.settings";
  readonly icon: Icon;
  /**
   * Whether the page is in the bar of a phone, which has room for four pages. The last item of the bar opens the
   * others.
   */
  readonly isInBar?: true;
}

/** A group of pages in the navigation. */
export interface NavigationSection {
  /** Heading; omitted for none. */
  readonly label?: "shell.sending" | "shell.server";
  /** Whether only administrators see the section. */
  readonly isForAdmins?: true;
  readonly pages: readonly NavigationPage[];
}

/** All sections of the navigation, in order. */
export const NAVIGATION_SECTIONS: readonly NavigationSection[] = [
  {
    pages: [
      { path: PATHS.feed, label: "shell.feed", icon: IconBell, isInBar: true },
      { path: PATHS.incidents, label: "shell.incidents", icon: IconAlertTriangle },
      { path: PATHS.devices, label: "shell.devices", icon: IconDevices, isInBar: true },
      { path: PATHS.groups, label: "shell.groups", icon: IconStack2 },
      { path: PATHS.teams, label: "shell.teams", icon: IconUsers },
      { path: PATHS.policies, label: "shell.policies", icon: IconStairsUp },
    ],
  },
  {
    label: "shell.sending",
    pages: [
      { path: PATHS.send, label: "shell.send", icon: IconSend, isInBar: true },
      { path: PATHS.log, label: "shell.log", icon: IconListDetails, isInBar: true },
      { path: PATHS.keys, label: "shell.keys", icon: IconKey },
      { path: PATHS.activity, label: "shell.activity", icon: IconChartBar },
    ],
  },
  {
    label: "shell.server",
    isForAdmins: true,
    pages: [
      { path: PATHS.providers, label: "shell.providers", icon: IconBroadcast },
      { path: PATHS.administration, label: "shell.administration", icon: IconServer },
    ],
  },
  { pages: [{ path: PATHS.settings, label: "shell.settings", icon: IconSettings }] },
];

/** Returns the sections that an account sees. */
export function getVisibleSections({
  isAdmin,
}: {
  readonly isAdmin: boolean;
}): readonly NavigationSection[] {
  return NAVIGATION_SECTIONS.filter(({ isForAdmins = false }) => isAdmin || !isForAdmins);
}
