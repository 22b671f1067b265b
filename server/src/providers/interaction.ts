import { getCollapseId } from "./presentation.ts";
import type { FcmData, ApnsPayload } from "./fields.ts";
import type { Message, MessageInteraction } from "./provider.ts";

/** The keys by which a payload names an incident or a prompt to an app, and the ways to act on it. */
export interface InteractionKeys {
  /** The incident's id. */
  incident?: string;
  /** The prompt's id. */
  prompt?: string;
  /** The reason for the message, such as `ring`. */
  cause?: string;
  /** The id and the label of each button, in their order. */
  actions?: MessageInteraction["actions"];
  /** Set if the reader may answer with a text. */
  text?: 1;
}

/** The categories for which an iPhone app registers buttons (Apple, "Declaring your actionable notification types"). */
type ApnsCategory = "TOCSIN_INCIDENT" | "TOCSIN_PROMPT" | "TOCSIN_PROMPT_TEXT";

/** Adds the keys of an incident or a prompt to a payload, or to the part of it that the app reads. */
export function addInteractionKeys(target: InteractionKeys, interaction: MessageInteraction): void {
  const { incidentId, promptId, cause, actions, allowsText } = interaction;
  if (incidentId !== null) target.incident = incidentId;
  if (promptId !== null) target.prompt = promptId;
  target.cause = cause;
  if (actions.length > 0) target.actions = actions;
  if (allowsText) target.text = 1;
}

/** Adds the keys of an incident or a prompt to an APNs payload, with the category of its buttons. */
export function addApnsInteraction(payload: ApnsPayload, interaction: MessageInteraction): void {
  addInteractionKeys(payload, interaction);
  const category = findCategory(interaction);
  if (category === null) return;
  payload.aps.category = category;
  // Starts the app's notification service extension, which may register buttons with the labels of `actions`.
  payload.aps["mutable-content"] = 1;
}

/**
 * Adds the keys of an incident or a prompt to the data of an FCM message, as strings, and the tag under which the app
 * replaces a notification.
 */
export function addFcmInteraction(
  data: FcmData,
  message: Message,
  interaction: MessageInteraction,
): void {
  const keys: InteractionKeys = {};
  addInteractionKeys(keys, interaction);
  const { actions, text, ...stringKeys } = keys;
  Object.assign(data, { tag: getCollapseId(message), ...stringKeys });
  if (actions !== undefined) data.actions = JSON.stringify(actions);
  if (text !== undefined) data.text = "1";
}

function findCategory({ promptId, actions, allowsText }: MessageInteraction): ApnsCategory | null {
  if (actions.length === 0 && !allowsText) return null;
  if (promptId === null) return "TOCSIN_INCIDENT";
  return allowsText ? "TOCSIN_PROMPT_TEXT" : "TOCSIN_PROMPT";
}
