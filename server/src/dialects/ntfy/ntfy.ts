import type { Dialect } from "../dialect.ts";
import { describeNtfyError } from "./ntfy-error.ts";
import { registerNtfyRoutes } from "./routes.ts";

/** The API of ntfy, of which senders publish messages to topics. */
export const NTFY: Dialect = { register: registerNtfyRoutes, describeError: describeNtfyError };
