import { lazy, Suspense } from "react";
import type { NotificationBodyProps } from "./notification-body.tsx";

const PlainText = lazy(async () => {
  const { toPlainText } = await import("./markdown-tree.ts");
  return { default: ({ text }: { readonly text: string }) => toPlainText(text) };
});

/** The text of a notification without markup, for a list row or a preview. */
export function PreviewText({ body, markdown }: NotificationBodyProps) {
  if (!markdown) return body;
  return (
    <Suspense fallback={body}>
      <PlainText text={body} />
    </Suspense>
  );
}
