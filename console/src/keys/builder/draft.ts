import type { SendRequest } from "./send-request.ts";

/** The draft of the builder. Its key is empty until one is pasted. */
export type Draft = Omit<SendRequest, "origin">;
