import account from "./en/account.json" with { type: "json" };
import invitation from "./en/invitation.json" with { type: "json" };
import pairing from "./en/pairing.json" with { type: "json" };
import app from "./en/app.json" with { type: "json" };
import builder from "./en/builder.json" with { type: "json" };
import dialect from "./en/dialect.json" with { type: "json" };
import send from "./en/send.json" with { type: "json" };
import content from "./en/content.json" with { type: "json" };
import deviceList from "./en/deviceList.json" with { type: "json" };
import group from "./en/group.json" with { type: "json" };
import team from "./en/team.json" with { type: "json" };
import policy from "./en/policy.json" with { type: "json" };
import incident from "./en/incident.json" with { type: "json" };
import prompt from "./en/prompt.json" with { type: "json" };
import profile from "./en/profile.json" with { type: "json" };
import settings from "./en/settings.json" with { type: "json" };
import log from "./en/log.json" with { type: "json" };
import outcome from "./en/outcome.json" with { type: "json" };
import stateGroup from "./en/stateGroup.json" with { type: "json" };
import attempt from "./en/attempt.json" with { type: "json" };
import activity from "./en/activity.json" with { type: "json" };
import admin from "./en/admin.json" with { type: "json" };
import audit from "./en/audit.json" with { type: "json" };
import provider from "./en/provider.json" with { type: "json" };
import steps from "./en/steps.json" with { type: "json" };
import explanation from "./en/explanation.json" with { type: "json" };
import refusal from "./en/refusal.json" with { type: "json" };

/** English texts of all pages except the feed, one file per topic. */
export const texts = {
  account,
  invitation,
  pairing,
  app,
  builder,
  dialect,
  send,
  content,
  deviceList,
  group,
  team,
  policy,
  incident,
  prompt,
  profile,
  settings,
  log,
  outcome,
  stateGroup,
  attempt,
  activity,
  admin,
  audit,
  provider,
  steps,
  explanation,
  refusal,
};
