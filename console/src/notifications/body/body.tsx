import { Text } from "@mantine/core";
import type { FeedItem } from "@tocsin/sdk";
import { lazy, Suspense } from "react";
import { partsOf } from "./addresses-in.ts";
import classes from "./body.module.css";
import { OutLink } from "./out-link.tsx";

/** Loaded on demand: most messages have no markup. */
const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

export type BodyProps = Pick<FeedItem, "body" | "markdown">;

/** Text of a notification, as Markdown if its sender asked for that, else as it is; its addresses are links. */
export function Body({ body, markdown }: BodyProps) {
  const plain = <PlainBody body={body} />;
  if (!markdown) return plain;
  return (
    <Suspense fallback={plain}>
      <Markdown text={body} />
    </Suspense>
  );
}

function PlainBody({ body }: Pick<BodyProps, "body">) {
  return (
    <Text component="div" className={classes["plain"] ?? ""} dir="auto">
      {partsOf(body).map(({ text, isAddress }, index) =>
        isAddress ? (
          // oxlint-disable-next-line react/no-array-index-key -- the same address may stand in a text twice.
          <OutLink key={index} href={text}>
            {text}
          </OutLink>
        ) : (
          text
        ),
      )}
    </Text>
  );
}
