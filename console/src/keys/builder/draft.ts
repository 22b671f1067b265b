import type { SendRequest } from "./send-request.ts";

/** What a person writes in the builder; an empty key is one that they did not paste. */
export type Draft = Omit<SendRequest, "origin">;
