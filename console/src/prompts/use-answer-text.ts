import { useState } from "react";

/** Texts that were typed and not sent, by prompt. A row that leaves the screen and the page of a prompt keep them. */
const unsentTexts = new Map<string, string>();

/** Returns the typed text for a prompt, and a function that changes it. */
export function useAnswerText(promptId: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => unsentTexts.get(promptId) ?? "");
  const change = (newText: string) => {
    if (newText === "") unsentTexts.delete(promptId);
    else unsentTexts.set(promptId, newText);
    setText(newText);
  };
  return [text, change];
}
