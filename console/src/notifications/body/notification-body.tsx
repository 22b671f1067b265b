import { Text } from "@mantine/core";
import type { FeedItem } from "@tocsin/sdk";
import { lazy, Suspense } from "react";
import { splitUrls } from "./split-urls.ts";
import classes from "./body.module.css";
import { ExternalLink } from "./external-link.tsx";

/** Loaded on demand, because most notifications are plain text. */
const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

/** The body of a notification and whether it is Markdown. */
export type NotificationBodyProps = Pick<FeedItem, "body" | "markdown">;

/** The body of a notification, as Markdown if its sender asked for it, otherwise as plain text. URLs become links. */
export function NotificationBody({ body, markdown }: NotificationBodyProps) {
  const plainBody = <PlainBody body={body} />;
  if (!markdown) return plainBody;
  return (
    <Suspense fallback={plainBody}>
      <Markdown text={body} />
    </Suspense>
  );
}

function PlainBody({ body }: Pick<NotificationBodyProps, "body">) {
  return (
    <Text component="div" className={classes["plain"] ?? ""} dir="auto">
      {splitUrls(body).map(({ text, isUrl }, index) =>
        isUrl ? (
          // oxlint-disable-next-line react/no-array-index-key -- the same URL may occur twice.
          <ExternalLink key={index} href={text}>
            {text}
          </ExternalLink>
        ) : (
          text
        ),
      )}
    </Text>
  );
}
