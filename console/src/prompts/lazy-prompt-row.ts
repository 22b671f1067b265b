import { lazyWithTexts } from "../language/lazy-with-texts.ts";

/** The prompt of a row in the feed. A feed without prompts loads neither it nor its texts. */
export const LazyPromptRow = lazyWithTexts(
  async () => (await import("./prompt-row.tsx")).PromptRow,
);
