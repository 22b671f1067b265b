import account from "./de/account.json" with { type: "json" };
import invitation from "./de/invitation.json" with { type: "json" };
import pairing from "./de/pairing.json" with { type: "json" };
import app from "./de/app.json" with { type: "json" };
import builder from "./de/builder.json" with { type: "json" };
import dialect from "./de/dialect.json" with { type: "json" };
import send from "./de/send.json" with { type: "json" };
import content from "./de/content.json" with { type: "json" };
import deviceList from "./de/deviceList.json" with { type: "json" };
import group from "./de/group.json" with { type: "json" };
import team from "./de/team.json" with { type: "json" };
import policy from "./de/policy.json" with { type: "json" };
import incident from "./de/incident.json" with { type: "json" };
import prompt from "./de/prompt.json" with { type: "json" };
import profile from "./de/profile.json" with { type: "json" };
import settings from "./de/settings.json" with { type: "json" };
import log from "./de/log.json" with { type: "json" };
import outcome from "./de/outcome.json" with { type: "json" };
import stateGroup from "./de/stateGroup.json" with { type: "json" };
import attempt from "./de/attempt.json" with { type: "json" };
import activity from "./de/activity.json" with { type: "json" };
import admin from "./de/admin.json" with { type: "json" };
import audit from "./de/audit.json" with { type: "json" };
import provider from "./de/provider.json" with { type: "json" };
import steps from "./de/steps.json" with { type: "json" };
import explanation from "./de/explanation.json" with { type: "json" };
import refusal from "./de/refusal.json" with { type: "json" };

/** German texts of all pages except the feed, one file per topic. */
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
