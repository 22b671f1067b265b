import type { Fields, Rule } from "./json-rules.ts";

const STRING: Rule = { kind: "string" };
const BOOL: Rule = { kind: "bool" };
const DURATION: Rule = { kind: "duration" };
const FLOAT: Rule = { kind: "float" };
const MAP: Rule = { kind: "map" };
const STRUCT: Rule = { kind: "struct" };

const FCM_PACKAGE = "google.firebase.fcm.v1";

function createMessageRule(name: string, fields: Fields): Rule {
  return { kind: "message", type: `${FCM_PACKAGE}.${name}`, fields };
}

function createListRule(item: Rule): Rule {
  return { kind: "list", item };
}

/** Returns the rule of an enum. Its first value is the zero value of the proto, which means not set. */
function createEnumRule(name: string, ...values: readonly string[]): Rule {
  return { kind: "enum", type: `${FCM_PACKAGE}.${name}`, values };
}

const COLOR_FIELDS = { red: FLOAT, green: FLOAT, blue: FLOAT, alpha: FLOAT };

const LIGHT_SETTINGS = {
  color: { kind: "message", type: "google.type.Color", fields: COLOR_FIELDS } satisfies Rule,
  lightOnDuration: DURATION,
  lightOffDuration: DURATION,
};

/** The fields of `AndroidNotification`. */
export const ANDROID_NOTIFICATION_FIELDS = {
  title: STRING,
  body: STRING,
  icon: STRING,
  color: STRING,
  sound: STRING,
  tag: STRING,
  clickAction: STRING,
  bodyLocKey: STRING,
  bodyLocArgs: createListRule(STRING),
  titleLocKey: STRING,
  titleLocArgs: createListRule(STRING),
  channelId: STRING,
  ticker: STRING,
  sticky: BOOL,
  eventTime: { kind: "timestamp" } satisfies Rule,
  localOnly: BOOL,
  notificationPriority: createEnumRule(
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
  vibrateTimings: createListRule(DURATION),
  visibility: createEnumRule(
    "AndroidNotification.Visibility",
    "VISIBILITY_UNSPECIFIED",
    "PRIVATE",
    "PUBLIC",
    "SECRET",
  ),
  notificationCount: { kind: "int32" } satisfies Rule,
  lightSettings: createMessageRule("LightSettings", LIGHT_SETTINGS),
  image: STRING,
  bypassProxyNotification: BOOL,
  proxy: createEnumRule("Proxy", "PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"),
};

/** The fields of `AndroidConfig`. */
export const ANDROID_FIELDS = {
  collapseKey: STRING,
  priority: createEnumRule("AndroidMessagePriority", "NORMAL", "HIGH"),
  ttl: DURATION,
  restrictedPackageName: STRING,
  data: MAP,
  notification: createMessageRule("AndroidNotification", ANDROID_NOTIFICATION_FIELDS),
  fcmOptions: createMessageRule("AndroidFcmOptions", { analyticsLabel: STRING }),
  directBootOk: BOOL,
  bandwidthConstrainedOk: BOOL,
  restrictedSatelliteOk: BOOL,
};

const APNS_FIELDS = {
  headers: MAP,
  payload: STRUCT,
  fcmOptions: createMessageRule("ApnsFcmOptions", { analyticsLabel: STRING, image: STRING }),
  liveActivityToken: STRING,
};

const WEBPUSH_FIELDS = {
  headers: MAP,
  data: MAP,
  notification: STRUCT,
  fcmOptions: createMessageRule("WebpushFcmOptions", { link: STRING, analyticsLabel: STRING }),
};

/**
 * The fields of `Message`. `name` occurs only in responses. `fid` is newer than Google's published client libraries.
 */
export const MESSAGE_FIELDS = {
  name: STRING,
  data: MAP,
  notification: createMessageRule("Notification", { title: STRING, body: STRING, image: STRING }),
  android: createMessageRule("AndroidConfig", ANDROID_FIELDS),
  webpush: createMessageRule("WebpushConfig", WEBPUSH_FIELDS),
  apns: createMessageRule("ApnsConfig", APNS_FIELDS),
  fcmOptions: createMessageRule("FcmOptions", { analyticsLabel: STRING }),
  token: STRING,
  topic: STRING,
  condition: STRING,
  fid: STRING,
};

/** The fields of `SendMessageRequest`. */
export const REQUEST_FIELDS = {
  message: createMessageRule("Message", MESSAGE_FIELDS),
  validateOnly: BOOL,
};

/** The body of `messages:send` (discovery document of FCM HTTP v1). */
export const REQUEST: Rule = createMessageRule("SendMessageRequest", REQUEST_FIELDS);
