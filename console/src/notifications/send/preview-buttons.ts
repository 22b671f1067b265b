import type { Priority } from "@tocsin/sdk";
import { addDetails, createButtons } from "../../worker/buttons.ts";
import { canOpenByClick } from "../../worker/click.ts";
import type { PushAction } from "../../worker/push-message.ts";
import type { Draft } from "./draft.ts";
import { hasPrompt, parseChoices } from "./prompt-draft.ts";

/** The parts of a draft that give its notification buttons. */
export type DraftWithButtons = Pick<
  Draft,
  "choices" | "allowText" | "answersNeeded" | "expireAfter" | "priority" | "link"
>;

/** The reason why people act on a notification; null if they only read it. */
export type ActReason = "prompt" | "incident" | null;

const EMERGENCY: Priority = "emergency";
/** The server gives this button the same label in every language. */
const ACKNOWLEDGE: PushAction = ["ack", "Acknowledge"];
/** Chromium and Firefox show two buttons. */
const BROWSER = { maxButtons: 2, hasTextButtons: true } as const;

/** Returns why people act on the notification of a draft. */
export function getActReason(draft: DraftWithButtons): ActReason {
  if (hasPrompt(draft)) return "prompt";
  return draft.priority === EMERGENCY ? "incident" : null;
}

/** Returns the labels of the buttons that a browser shows with the notification of a draft. */
export function listButtonLabels(draft: DraftWithButtons, answerLabel: string): readonly string[] {
  const interaction = { actions: listActions(draft), allowsText: draft.allowText };
  const buttons = createButtons(interaction, { ...BROWSER, answerLabel });
  // A browser that shows buttons also opens links.
  const buttonsWithDetails = canOpenByClick(draft.link, "")
    ? addDetails(buttons, BROWSER)
    : buttons;
  return buttonsWithDetails.map(({ title }) => title);
}

function listActions(draft: DraftWithButtons): readonly PushAction[] {
  switch (getActReason(draft)) {
    case "prompt":
      return parseChoices(draft.choices).map((choice, index) => [String(index + 1), choice]);
    case "incident":
      return [ACKNOWLEDGE];
    case null:
      return [];
  }
}
