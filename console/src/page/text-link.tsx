import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type TextAnchorProps = AnchorProps & Omit<ComponentPropsWithRef<"a">, keyof AnchorProps>;

function TextAnchor(props: TextAnchorProps) {
  return <Anchor size="sm" {...props} />;
}

/** A link to another page of the console, as text. */
export const TextLink = createLink(TextAnchor);
