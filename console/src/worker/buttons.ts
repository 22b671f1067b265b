import type { PushInteraction } from "./push-message.ts";

/** A button of a browser notification (Notifications API, "action"). */
interface Button {
  readonly action: string;
  readonly title: string;
  /** A button of type `text` takes a text, which the event returns as `reply`. Only Chromium has this type. */
  readonly type?: "text";
}

/** A browser's support for buttons. */
export interface ButtonSupport {
  /** The largest number of buttons that the browser shows (`Notification.maxActions`). */
  readonly maxButtons: number;
  readonly hasTextButtons: boolean;
}

/** The button that opens the notification's page if a click opens a link. Its title is the same in every language. */
export const DETAILS_ACTION = { action: "details", title: "Details" } as const;

/** The id of the button that takes a text, or opens the notification's page in a browser that cannot take one. */
export const ANSWER_ID = "answer";

/** A browser's support for buttons, and the label of the button that opens the page or takes a text. */
interface ButtonOptions extends ButtonSupport {
  readonly answerLabel: string;
}

/**
 * Returns the buttons of an incident or a prompt, at most as many as the browser shows. If they do not all fit, there
 * is only one, which opens the notification's page: showing some of them would influence the reader's choice.
 */
export function createButtons(
  { actions, allowsText }: Pick<PushInteraction, "actions" | "allowsText">,
  { maxButtons, hasTextButtons, answerLabel }: ButtonOptions,
): readonly Button[] {
  const choices = actions.map(([action, title]) => ({ action, title }));
  const pageButton = { action: ANSWER_ID, title: answerLabel };
  const textButton = hasTextButtons ? { ...pageButton, type: "text" as const } : pageButton;
  const buttons = allowsText ? [...choices, textButton] : choices;
  if (buttons.length <= maxButtons) return buttons;
  return maxButtons > 0 ? [pageButton] : [];
}

/**
 * Returns the buttons followed by the details button, for a notification whose click opens a link. Omits the details
 * button if the browser shows no further one, or if another button already opens the same page.
 */
export function addDetails(
  buttons: readonly Button[],
  { maxButtons }: Pick<ButtonSupport, "maxButtons">,
): readonly Button[] {
  const opensPage = buttons.some(({ action, type }) => action === ANSWER_ID && type !== "text");
  return opensPage || buttons.length >= maxButtons ? buttons : [...buttons, DETAILS_ACTION];
}
