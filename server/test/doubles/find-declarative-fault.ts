/** A rule for a member: returns whether its value is allowed. */
type Rule = (value: unknown) => boolean;
type Members = Readonly<Record<string, unknown>>;

const isText: Rule = (value) => typeof value === "string";
const isFilledText: Rule = (value) => isText(value) && value !== "";
const isTextOrNull: Rule = (value) => value === null || isText(value);
const isFlag: Rule = (value) => typeof value === "boolean";
const isNumberOne: Rule = (value) => value === 1;
const isCount: Rule = (value) => Number.isInteger(value) && Number(value) >= 0;
const isUrl: Rule = (value) => typeof value === "string" && URL.canParse(value);
const isAction: Rule = (value) =>
  Array.isArray(value) && value.length === 2 && value.every((text) => isFilledText(text));
const isActionList: Rule = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((action) => isAction(action));

const MESSAGE_RULES: Readonly<Record<string, Rule>> = {
  // The number is that of the RFC, and marks a declarative message.
  web_push: (value) => value === 8030,
  notification: isObject,
  mutable: isFlag,
};

const NOTIFICATION_RULES: Readonly<Record<string, Rule>> = {
  title: isFilledText,
  body: isText,
  navigate: isUrl,
  tag: isText,
  dir: (value) => ["auto", "ltr", "rtl"].includes(String(value)),
  image: isUrl,
  icon: isUrl,
  silent: isFlag,
  requireInteraction: isFlag,
  data: isObject,
};

/** The members that our service worker reads; browsers accept any `data`. */
const DATA_RULES: Readonly<Record<string, Rule>> = {
  id: isFilledText,
  ts: isCount,
  channel: isFilledText,
  sound: isTextOrNull,
  link: isTextOrNull,
  incident: isFilledText,
  prompt: isFilledText,
  cause: isFilledText,
  actions: isActionList,
  text: isNumberOne,
  renotify: isNumberOne,
  truncated: isNumberOne,
};

/**
 * Returns the first member of a push message that is unknown, missing or invalid; null for a valid message
 * (W3C Push API, "declarative push message"; Notifications API, "create a notification"). Browsers ignore most of these
 * faults, so tests would not notice them.
 */
export function findDeclarativeFault(text: string): string | null {
  const message: unknown = JSON.parse(text);
  if (!isObject(message)) return "message";
  const notification = isObject(message["notification"]) ? message["notification"] : {};
  const data = isObject(notification["data"]) ? notification["data"] : {};
  return (
    findFault("message", message, {
      rules: MESSAGE_RULES,
      required: ["web_push", "notification"],
    }) ??
    findFault("notification", notification, {
      rules: NOTIFICATION_RULES,
      required: ["title", "navigate"],
    }) ??
    findFault("data", data, { rules: DATA_RULES, required: ["id", "ts"] }) ??
    // A browser throws if `renotify` is set without a tag.
    (data["renotify"] === 1 && !isFilledText(notification["tag"]) ? "notification.tag" : null)
  );
}

interface MemberRules {
  readonly rules: Readonly<Record<string, Rule>>;
  readonly required: readonly string[];
}

function findFault(path: string, members: Members, { rules, required }: MemberRules) {
  const missing = required.find((name) => !(name in members));
  const invalid = Object.keys(members).find((name) => rules[name]?.(members[name]) !== true);
  const name = missing ?? invalid;
  return name === undefined ? null : `${path}.${name}`;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
