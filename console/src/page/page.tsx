import { Text, Title } from "@mantine/core";
import { useEffect, useRef, type ReactNode } from "react";
import classes from "./page.module.css";
import { setTabPageName } from "./tab-title.ts";

interface PageProps {
  readonly title: string;
  /** A sentence about the page, below its title. */
  readonly text?: string;
  /** Actions for the whole page, next to its title. */
  readonly actions?: ReactNode;
  /** A column for text and forms, a wider column for tables, or the full screen. */
  readonly width?: "column" | "wide" | "full";
  readonly children: ReactNode;
}

/** A page inside the frame, with title, actions and content. */
export function Page({ title, text, actions, width = "column", children }: PageProps) {
  const headingRef = usePageTitle(title);
  return (
    <div className={classes["page"]} data-width={width}>
      <div className={classes["head"]}>
        <div className={classes["titles"]}>
          <Title order={1} size="h2" tabIndex={-1} ref={headingRef}>
            {title}
          </Title>
          {text !== undefined && (
            <Text c="dimmed" size="sm">
              {text}
            </Text>
          )}
        </div>
        {actions !== undefined && <div className={classes["actions"]}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/**
 * Sets the title of the browser's tab. Returns the ref of the heading. When the page opens, the heading gets the focus,
 * so that screen readers start there. The first page instead leaves the focus at the start of the document, so that the
 * skip link is the first tab stop.
 */
export function usePageTitle(title: string) {
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setTabPageName(title);
  }, [title]);
  useEffect(() => {
    const isFirstPage = !hasOpenedPage;
    hasOpenedPage = true;
    // A field on the page may already have the focus, and keeps it.
    if (isFirstPage || headingRef.current?.parentElement?.contains(document.activeElement) === true)
      return;
    headingRef.current?.focus({ preventScroll: true });
  }, []);
  return headingRef;
}

/** Whether a console page has opened since the browser loaded the document. */
let hasOpenedPage = false;
