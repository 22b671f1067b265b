import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type ButtonAnchorProps = ButtonProps & Omit<ComponentPropsWithRef<"a">, keyof ButtonProps>;

function ButtonAnchor(props: ButtonAnchorProps) {
  return <Button component="a" {...props} />;
}

/** A link to another page of the console, as a button. */
export const ButtonLink = createLink(ButtonAnchor);
