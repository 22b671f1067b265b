import type { Fields, Rule } from "./json-rules.ts";

const STRING: Rule = { kind: "string" };
const BOOL: Rule = { kind: "bool" };
const DURATION: Rule = { kind: "duration" };
const FLOAT: Rule = { kind: "float" };
const MAP: Rule = { kind: "map" };
const STRUCT: Rule = { kind: "struct" };

const PACKAGE = "google.firebase.fcm.v1";

function message(name: string, fields: Fields): Rule {
  return { kind: "message", type: `${PACKAGE}.${name}`, fields };
}

function list(item: Rule): Rule {
  return { kind: "list", item };
}

/** The first value is the proto's zero value, which means not set. */
function choice(name: string, ...values: readonly string[]): Rule {
  return { kind: "enum", type: `${PACKAGE}.${name}`, values };
}

const COLOR = { red: FLOAT, green: FLOAT, blue: FLOAT, alpha: FLOAT };

const LIGHT_SETTINGS = {
  color: { kind: "message", type: "google.type.Color", fields: COLOR } satisfies Rule,
  lightOnDuration: DURATION,
  lightOffDuration: DURATION,
};

/** Fields of `AndroidNotification`. */
export const ANDROID_NOTIFICATION_FIELDS = {
  title: STRING,
  body: STRING,
  icon: STRING,
  color: STRING,
  sound: STRING,
  tag: STRING,
  clickAction: STRING,
  bodyLocKey: STRING,
  bodyLocArgs: list(STRING),
  titleLocKey: STRING,
  titleLocArgs: list(STRING),
  channelId: STRING,
  ticker: STRING,
  sticky: BOOL,
  eventTime: { kind: "timestamp" } satisfies Rule,
  localOnly: BOOL,
  notificationPriority: choice(
    "AndroidNotification.NotificationPriority",
    "PRIORITY_UNSPECIFIED",
    "PRIORITY_MIN",
    "PRIORITY_LOW",
    "PRIORITY_DEFAULT",
    "PRIORITY_HIGH",
    "PRIORITY_MAX",
  ),
  defaultSound: BOOL,
  defaultVibrateTimings: BOOL,
  defaultLightSettings: BOOL,
  vibrateTimings: list(DURATION),
  visibility: choice(
    "AndroidNotification.Visibility",
    "VISIBILITY_UNSPECIFIED",
    "PRIVATE",
    "PUBLIC",
    "SECRET",
  ),
  notificationCount: { kind: "int32" } satisfies Rule,
  lightSettings: message("LightSettings", LIGHT_SETTINGS),
  image: STRING,
  bypassProxyNotification: BOOL,
  proxy: choice("Proxy", "PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"),
};

/** Fields of `AndroidConfig`. */
export const ANDROID_FIELDS = {
  collapseKey: STRING,
  priority: choice("AndroidMessagePriority", "NORMAL", "HIGH"),
  ttl: DURATION,
  restrictedPackageName: STRING,
  data: MAP,
  notification: message("AndroidNotification", ANDROID_NOTIFICATION_FIELDS),
  fcmOptions: message("AndroidFcmOptions", { analyticsLabel: STRING }),
  directBootOk: BOOL,
  bandwidthConstrainedOk: BOOL,
  restrictedSatelliteOk: BOOL,
};

const APNS = {
  headers: MAP,
  payload: STRUCT,
  fcmOptions: message("ApnsFcmOptions", { analyticsLabel: STRING, image: STRING }),
  liveActivityToken: STRING,
};

const WEBPUSH = {
  headers: MAP,
  data: MAP,
  notification: STRUCT,
  fcmOptions: message("WebpushFcmOptions", { link: STRING, analyticsLabel: STRING }),
};

/** Fields of `Message`. `name` occurs only in responses. `fid` is newer than Google's published client libraries. */
export const MESSAGE_FIELDS = {
  name: STRING,
  data: MAP,
  notification: message("Notification", { title: STRING, body: STRING, image: STRING }),
  android: message("AndroidConfig", ANDROID_FIELDS),
  webpush: message("WebpushConfig", WEBPUSH),
  apns: message("ApnsConfig", APNS),
  fcmOptions: message("FcmOptions", { analyticsLabel: STRING }),
  token: STRING,
  topic: STRING,
  condition: STRING,
  fid: STRING,
};

/** Fields of `SendMessageRequest`. */
export const REQUEST_FIELDS = {
  message: message("Message", MESSAGE_FIELDS),
  validateOnly: BOOL,
};

/** The body of `messages:send` (discovery document of FCM HTTP v1). */
export const REQUEST: Rule = message("SendMessageRequest", REQUEST_FIELDS);
