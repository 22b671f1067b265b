import { ANSWER_LAWS } from "./provider-answers.ts";
import { CONNECTION_LAWS } from "./provider-connections.ts";
import { LIFE_LAWS } from "./provider-life.ts";
import { MESSAGE_LAWS } from "./provider-messages.ts";
import type { Law } from "./provider-under-test.ts";

/** Rules for every implementation of the `Provider` port. */
export const LAWS: readonly Law[] = [
  ...LIFE_LAWS,
  ...MESSAGE_LAWS,
  ...ANSWER_LAWS,
  ...CONNECTION_LAWS,
];
