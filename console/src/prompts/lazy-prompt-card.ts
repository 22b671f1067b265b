import { lazyWithTexts } from "../language/lazy-with-texts.ts";

/** The prompt of a notification. It is loaded when it is first shown. */
export const LazyPromptCard = lazyWithTexts(
  async () => (await import("./prompt-card.tsx")).PromptCard,
);
