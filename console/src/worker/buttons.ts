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

/**
 * The button that takes a text. Without one, it opens the notification's page, which has all ways to act. Its title is
 * not translated.
 */
export const ANSWER_ACTION = { action: "answer", title: "Answer" } as const;

/**
 * Returns the buttons of an incident or a prompt, at most as many as the browser shows. If they do not all fit, there is
 * only one, which opens the notification's page: a selection of the choices would choose for the reader.
 */
export function createButtons(
  { actions, allowsText }: PushActing,
  { maxButtons, hasTextButtons }: ButtonSupport,
): readonly Button[] {
  const choices = actions.map(([action, title]) => ({ action, title }));
  const textButton = hasTextButtons ? { ...ANSWER_ACTION, type: "text" as const } : ANSWER_ACTION;
  const buttons = allowsText ? [...choices, textButton] : choices;
  if (buttons.length <= maxButtons) return buttons;
  return maxButtons > 0 ? [ANSWER_ACTION] : [];
}
