import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type TextProps = AnchorProps & Omit<ComponentPropsWithRef<"a">, keyof AnchorProps>;

function Text(props: TextProps) {
  return <Anchor size="sm" {...props} />;
}

/** A link to another page of the console, as text. */
export const TextLink = createLink(Text);
