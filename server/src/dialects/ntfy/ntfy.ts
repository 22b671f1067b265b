import type { Dialect } from "../dialect.ts";
import { describeNtfyError } from "./ntfy-error.ts";
import { registerNtfyRoutes } from "./routes.ts";
import { registerAccountRoutes } from "./subscribe/account-routes.ts";
import { registerSubscribeRoutes } from "./subscribe/routes.ts";

/** The API of ntfy with which senders publish messages to topics, and apps receive them. */
export const NTFY: Dialect = {
  register: (server, deps) => {
    registerNtfyRoutes(server, deps);
    registerSubscribeRoutes(server, deps);
    registerAccountRoutes(server, deps);
  },
  describeError: describeNtfyError,
};
