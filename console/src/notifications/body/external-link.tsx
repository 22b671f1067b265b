import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { ConfirmLink } from "../confirm-link.tsx";
import { classifyLink } from "../classify-link.ts";

interface ExternalLinkProps {
  readonly href: string;
  readonly children: ReactNode;
  /** Visible text of the link. If it does not contain the host, the host is shown after it. */
  readonly label?: string;
}

/** A link inside a text. It follows the same rules as all other links of a notification. */
export function ExternalLink({ href, children, label }: ExternalLinkProps) {
  const classifiedLink = classifyLink(href);
  if (classifiedLink.kind === "never") return children;
  if (classifiedLink.kind === "ask") {
    return (
      <>
        {children} <ConfirmLink url={classifiedLink.url} />
      </>
    );
  }
  const { url, isWeb } = classifiedLink;
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
