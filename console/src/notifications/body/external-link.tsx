import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { ConfirmLink } from "../confirm-link.tsx";
import { classifyLink } from "../classify-link.ts";

export interface ExternalLinkProps {
  readonly href: string;
  readonly children: ReactNode;
  /** Visible text of the link. If it does not contain the host, the host is shown after it. */
  readonly label?: string;
}

/** A link inside a text, with the same rules as every notification link. */
export function ExternalLink({ href, children, label }: ExternalLinkProps) {
  const classified = classifyLink(href);
  if (classified.kind === "never") return children;
  if (classified.kind === "ask") {
    return (
      <>
        {children} <ConfirmLink url={classified.url} />
      </>
    );
  }
  const { url, isWeb } = classified;
  const needsHost = isWeb && label !== undefined && !label.toLowerCase().includes(url.host);
  return (
    <>
      <Anchor
        href={url.href}
        inherit
        // A different colour is not enough to identify a link within text (WCAG 2.2, 1.4.1).
        underline="always"
        {...(isWeb ? { target: "_blank", rel: "noopener noreferrer" } : {})}
      >
        {children}
      </Anchor>
      {needsHost && <bdi> ({url.host})</bdi>}
    </>
  );
}
