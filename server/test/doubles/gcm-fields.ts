/** Numbers of the fields of an AndroidCheckinRequest (Chromium's `checkin.proto`). */
export const CHECKIN_REQUEST_FIELDS = { androidId: 2, securityToken: 13 } as const;

/** Numbers of the fields of an AndroidCheckinResponse (Chromium's `checkin.proto`). */
export const CHECKIN_RESPONSE_FIELDS = {
  isOk: 1,
  timeMs: 3,
  androidId: 7,
  securityToken: 8,
  version: 11,
} as const;

/** Numbers of the fields of a LoginRequest (Chromium's `mcs.proto`). */
export const LOGIN_REQUEST_FIELDS = { androidId: 3, securityToken: 5, receivedId: 10 } as const;

/** Numbers of the fields of a LoginResponse (Chromium's `mcs.proto`). */
export const LOGIN_RESPONSE_FIELDS = { id: 1, timeMs: 8 } as const;

/** Numbers of the fields of a DataMessageStanza (Chromium's `mcs.proto`). */
export const DATA_MESSAGE_FIELDS = {
  id: 2,
  sender: 3,
  app: 5,
  appData: 7,
  persistentId: 9,
  ttlSeconds: 17,
  sentAtMs: 18,
  body: 21,
} as const;

/** Numbers of the fields of an AppData, of which a DataMessageStanza has several (Chromium's `mcs.proto`). */
export const APP_DATA_FIELDS = { name: 1, value: 2 } as const;
