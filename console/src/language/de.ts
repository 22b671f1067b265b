import shell from "./de/shell.json" with { type: "json" };
import state from "./de/state.json" with { type: "json" };
import error from "./de/error.json" with { type: "json" };
import page from "./de/page.json" with { type: "json" };
import account from "./de/account.json" with { type: "json" };
import invitation from "./de/invitation.json" with { type: "json" };
import feed from "./de/feed.json" with { type: "json" };
import first from "./de/first.json" with { type: "json" };
import device from "./de/device.json" with { type: "json" };
import pairing from "./de/pairing.json" with { type: "json" };
import capability from "./de/capability.json" with { type: "json" };
import delivery from "./de/delivery.json" with { type: "json" };
import builder from "./de/builder.json" with { type: "json" };
import send from "./de/send.json" with { type: "json" };
import wording from "./de/wording.json" with { type: "json" };
import group from "./de/group.json" with { type: "json" };
import team from "./de/team.json" with { type: "json" };
import key from "./de/key.json" with { type: "json" };
import admin from "./de/admin.json" with { type: "json" };
import provider from "./de/provider.json" with { type: "json" };
import settings from "./de/settings.json" with { type: "json" };
import profile from "./de/profile.json" with { type: "json" };
import log from "./de/log.json" with { type: "json" };
import fate from "./de/fate.json" with { type: "json" };
import attempt from "./de/attempt.json" with { type: "json" };
import activity from "./de/activity.json" with { type: "json" };
import why from "./de/why.json" with { type: "json" };
import outcome from "./de/outcome.json" with { type: "json" };

/** The texts in German. */
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
