import type { Dialect } from "../dialect.ts";
import { describePushoverError } from "./pushover-error.ts";
import { registerPushoverRoutes } from "./routes.ts";

/** The part of the API of Pushover that senders use: messages, and the check of a user key. */
export const PUSHOVER: Dialect = {
  register: registerPushoverRoutes,
  describeError: describePushoverError,
};
