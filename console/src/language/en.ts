import shell from "./en/shell.json" with { type: "json" };
import state from "./en/state.json" with { type: "json" };
import error from "./en/error.json" with { type: "json" };
import page from "./en/page.json" with { type: "json" };
import account from "./en/account.json" with { type: "json" };
import invitation from "./en/invitation.json" with { type: "json" };
import feed from "./en/feed.json" with { type: "json" };
import first from "./en/first.json" with { type: "json" };
import device from "./en/device.json" with { type: "json" };
import pairing from "./en/pairing.json" with { type: "json" };
import capability from "./en/capability.json" with { type: "json" };
import delivery from "./en/delivery.json" with { type: "json" };
import builder from "./en/builder.json" with { type: "json" };
import send from "./en/send.json" with { type: "json" };
import wording from "./en/wording.json" with { type: "json" };
import group from "./en/group.json" with { type: "json" };
import team from "./en/team.json" with { type: "json" };
import key from "./en/key.json" with { type: "json" };
import admin from "./en/admin.json" with { type: "json" };
import provider from "./en/provider.json" with { type: "json" };
import settings from "./en/settings.json" with { type: "json" };
import profile from "./en/profile.json" with { type: "json" };
import log from "./en/log.json" with { type: "json" };
import fate from "./en/fate.json" with { type: "json" };
import attempt from "./en/attempt.json" with { type: "json" };
import activity from "./en/activity.json" with { type: "json" };
import why from "./en/why.json" with { type: "json" };
import outcome from "./en/outcome.json" with { type: "json" };

/** The texts in English, a file a room; those of every other language have the same keys. */
export const texts = {
  shell,
  state,
  error,
  page,
  account,
  invitation,
  feed,
  first,
  device,
  capability,
  pairing,
  delivery,
  builder,
  send,
  wording,
  group,
  team,
  key,
  admin,
  provider,
  settings,
  profile,
  log,
  outcome,
  fate,
  attempt,
  activity,
  why,
};
