import {
  IconBell,
  IconDevices,
  IconKey,
  IconSend,
  IconSettings,
  type Icon,
} from "@tabler/icons-react";
import { PATHS } from "../paths.ts";

/** A page that the navigation leads to. */
export interface NavigationPage {
  readonly path: (typeof PATHS)["feed" | "log" | "devices" | "keys" | "settings"];
  readonly label: "shell.feed" | "shell.log" | "shell.devices" | "shell.keys" | "shell.settings";
  readonly icon: Icon;
}

/** The pages of the navigation, in their order; a phone has room for five. */
export const NAVIGATION: readonly NavigationPage[] = [
  { path: PATHS.feed, label: "shell.feed", icon: IconBell },
  { path: PATHS.log, label: "shell.log", icon: IconSend },
  { path: PATHS.devices, label: "shell.devices", icon: IconDevices },
  { path: PATHS.keys, label: "shell.keys", icon: IconKey },
  { path: PATHS.settings, label: "shell.settings", icon: IconSettings },
];
