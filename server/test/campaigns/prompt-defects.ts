import type { Defect } from "./defect.ts";

/** Mistakes in the counting of answers, in the callbacks stored with them, and in the idempotency of prompts. */
export const PROMPT_DEFECTS: readonly [Defect, ...Defect[]] = [
  {
    mistake: "an answer counts although the prompt is closed",
    file: "prompts/decide-answer.ts",
    replace: `  if (state !== "open") {`,
    by: `  if (state !== "open" && prompt.answer === null) {`,
    breaks: /^W1/,
  },
  {
    mistake: "a callback about a prompt is stored even if the change is not",
    file: "prompts/store/callback.ts",
    replace: "  return [insertCallbackQuery(context, callback, condition)];",
    by: "  return [condition, insertCallbackQuery(context, callback)].slice(1) as Compilable[];",
    breaks: /^W1/,
  },
  {
    mistake: "an earlier answer of a person counts beside the new one",
    file: "prompts/decide-answer.ts",
    replace: "  return index === -1 ? [...answers, answer] : answers.with(index, answer);",
    by: "  return index > answers.length ? [] : [...answers, answer];",
    breaks: /^W1/,
  },
  {
    mistake: "a prompt ignores the idempotency key of its send",
    file: "incidents/take-order.ts",
    replace: "  const idempotency = createOrderIdempotency(order);",
    by: "  const idempotency = asked === null ? createOrderIdempotency(order) : null;",
    breaks: /^W2/,
  },
];
