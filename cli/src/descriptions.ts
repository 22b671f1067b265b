import { COMPLETION, LOGIN, LOGOUT, SEND, WATCH } from "./descriptions/callers.ts";
import {
  ACCOUNT_CREATE,
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

/** Every command, in the order of `tocsin --help`. */
export const DESCRIPTIONS = [
  SERVE,
  ACCOUNT_CREATE,
  SEND,
  LOGIN,
  LOGOUT,
  WATCH,
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
