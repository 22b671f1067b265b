import {
  DEVICE_ADD,
  DEVICES,
  KEY_CREATE,
  KEY_REVOKE,
  KEYS,
  LOG,
} from "./descriptions/account-holders.ts";
import { ASK } from "./descriptions/ask.ts";
import { COMPLETION } from "./descriptions/completion.ts";
import {
  INCIDENT_ACK,
  INCIDENT_LIST,
  INCIDENT_RESOLVE,
  INCIDENT_SHOW,
} from "./descriptions/incidents.ts";
import {
  ACCOUNT_CREATE,
  ACCOUNT_INVITE,
  ACCOUNT_LIST,
  ACCOUNT_RESET,
  AUDIT_EXPORT,
  AUDIT_VERIFY,
  BACKUP,
  DEMO,
  DEVICE_REMOVE,
  DOCTOR,
  MIGRATE,
  MOVE,
  REWRAP,
  SERVE,
} from "./descriptions/operators.ts";
import { SEND } from "./descriptions/send.ts";
import { LOGIN, LOGOUT, WATCH } from "./descriptions/session.ts";

/** Every command, in the order of `tocsin --help`. */
export const DESCRIPTIONS = [
  SERVE,
  ACCOUNT_CREATE,
  ACCOUNT_LIST,
  ACCOUNT_RESET,
  ACCOUNT_INVITE,
  SEND,
  ASK,
  LOGIN,
  LOGOUT,
  WATCH,
  INCIDENT_LIST,
  INCIDENT_SHOW,
  INCIDENT_ACK,
  INCIDENT_RESOLVE,
  LOG,
  DEVICES,
  DEVICE_ADD,
  KEYS,
  KEY_CREATE,
  KEY_REVOKE,
  DOCTOR,
  DEVICE_REMOVE,
  MIGRATE,
  BACKUP,
  MOVE,
  REWRAP,
  AUDIT_EXPORT,
  AUDIT_VERIFY,
  DEMO,
  COMPLETION,
] as const;

/** The name of a command. */
export type CommandName = (typeof DESCRIPTIONS)[number]["name"];
