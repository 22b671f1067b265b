import { useState } from "react";

/** Texts that were typed but not sent, by prompt. They outlive a row that leaves the screen, and a page that closes. */
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
