import type { Dialect } from "../dialect.ts";
import { describeNtfyError } from "./ntfy-error.ts";
import { registerNtfyRoutes } from "./routes.ts";

/** The part of the API of ntfy with which senders publish messages to topics. */
export const NTFY: Dialect = { register: registerNtfyRoutes, describeError: describeNtfyError };
