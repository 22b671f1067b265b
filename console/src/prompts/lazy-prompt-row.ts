import { lazyWithTexts } from "../language/lazy-with-texts.ts";

/** The prompt in a row of the feed. A feed without prompts loads neither the component nor its texts. */
export const LazyPromptRow = lazyWithTexts(
  async () => (await import("./prompt-row.tsx")).PromptRow,
);
