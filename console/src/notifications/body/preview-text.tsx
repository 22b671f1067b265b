import { lazy, Suspense } from "react";
import type { BodyProps } from "./body.tsx";

const Words = lazy(async () => {
  const { wordsOf } = await import("./markdown-tree.ts");
  return { default: ({ text }: { readonly text: string }) => wordsOf(text) };
});

/** Beginning of a notification's text, without markup, for a row of a list. */
export function PreviewText({ body, markdown }: BodyProps) {
  if (!markdown) return body;
  return (
    <Suspense fallback={body}>
      <Words text={body} />
    </Suspense>
  );
}
