import type { SendRequest } from "./send-request.ts";

/** Draft of the builder; its key is empty until one is pasted. */
export type Draft = Omit<SendRequest, "origin">;
