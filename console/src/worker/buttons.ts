import type { PushActing } from "./push-message.ts";

/** A button of a browser notification (Notifications API, "action"). */
interface Button {
  readonly action: string;
  readonly title: string;
  /** A button of type `text` takes a text, which the event returns as `reply`. Only Chromium has this type. */
  readonly type?: "text";
}

/** The support of a browser for buttons. */
export interface ButtonSupport {
  /** The largest number of buttons that the browser shows (`Notification.maxActions`). */
  readonly maxButtons: number;
  readonly hasTextButtons: boolean;
}

/** The button of a notification whose click opens a link: it shows the full text. Its title is not translated. */
export const DETAILS_ACTION = { action: "details", title: "Details" } as const;

/** The id of the button that takes a text. Without one, it opens the notification's page, which has all ways to act. */
export const ANSWER_ID = "answer";

/** The support of a browser, and the label of the button that opens the page or takes a text. */
interface ButtonOptions extends ButtonSupport {
  readonly answerLabel: string;
}

/**
 * Returns the buttons of an incident or a prompt, at most as many as the browser shows. If the choices and the text do
 * not all fit, there is only one, which opens the notification's page: a selection of them would choose for the reader.
 */
export function createButtons(
  { actions, allowsText }: PushActing,
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
 * Returns buttons with one that shows the details, for a notification whose click opens a link: if the browser shows so
 * many, and unless one of them opens the same page.
 */
export function addDetails(
  buttons: readonly Button[],
  { maxButtons }: Pick<ButtonSupport, "maxButtons">,
): readonly Button[] {
  const opensPage = buttons.some(({ action, type }) => action === ANSWER_ID && type !== "text");
  return opensPage || buttons.length >= maxButtons ? buttons : [...buttons, DETAILS_ACTION];
}
