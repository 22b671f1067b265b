import { messageOf } from "../errors.ts";
import { make } from "./make.ts";

/** A line that tells what became of an action, also to screen readers. */
export interface Status {
  readonly element: HTMLElement;
  say(text: string): void;
  fail(error: unknown): void;
  clear(): void;
}

/** Returns an empty line; it must be on the page before it speaks, or nobody hears it. */
export function makeStatus(): Status {
  const element = make("p", { class: "status", role: "status" });
  const show = (text: string, isError: boolean) => {
    element.classList.toggle("error", isError);
    element.textContent = text;
  };
  return {
    element,
    say: (text) => show(text, false),
    fail: (error) => show(messageOf(error), true),
    clear: () => show("", false),
  };
}
