import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { AskedLink } from "../asked-link.tsx";
import { offeredLink } from "../link.ts";

export interface OutLinkProps {
  readonly href: string;
  readonly children: ReactNode;
  /** Visible text of the link, if it is text: a host that it does not contain is shown beside it. */
  readonly label?: string;
}

/** A link inside a text, under the same rules as all links of notifications. */
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
        // Within text, colour alone does not mark a link well enough (WCAG 2.2, 1.4.1).
        underline="always"
        {...(isWeb ? { target: "_blank", rel: "noopener noreferrer" } : {})}
      >
        {children}
      </Anchor>
      {isHidden && <bdi> ({url.host})</bdi>}
    </>
  );
}
