import { lazyWithTexts } from "../language/lazy-with-texts.ts";

/** The prompt of a notification, loaded when the first one opens. */
export const LazyPromptCard = lazyWithTexts(
  async () => (await import("./prompt-card.tsx")).PromptCard,
);
