import type { SendRequest } from "./send-request.ts";

/** The draft of the builder. Its key is empty until the person pastes a key. */
export type BuilderDraft = Omit<SendRequest, "origin">;
