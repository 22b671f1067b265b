import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { AskedLink } from "../asked-link.tsx";
import { offeredLink } from "../link.ts";

export interface OutLinkProps {
  readonly href: string;
  readonly children: ReactNode;
  /** What the reader sees of it, where that is text: a host that is not in it is told beside it. */
  readonly label?: string;
}

/** A link inside of a text, by the rules of all links of notifications. */
export function OutLink({ href, children, label }: OutLinkProps) {
  const offered = offeredLink(href);
  if (offered.kind === "never") return children;
  if (offered.kind === "ask") {
    return (
      <>
        {children} <AskedLink url={offered.url} />
      </>
    );
  }
  const { url, isWeb } = offered;
  const isHidden = isWeb && label !== undefined && !label.toLowerCase().includes(url.host);
  return (
    <>
      <Anchor
        href={url.href}
        inherit
        // Among words, a colour alone says too little (WCAG 2.2, 1.4.1).
        underline="always"
        {...(isWeb ? { target: "_blank", rel: "noopener noreferrer" } : {})}
      >
        {children}
      </Anchor>
      {isHidden && <bdi> ({url.host})</bdi>}
    </>
  );
}
