import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { usePageTitle } from "../page/page.tsx";
import classes from "./visitor-page.module.css";

interface VisitorPageProps {
  readonly title: string;
  /** A sentence about the task, below the title. */
  readonly text?: string;
  /** Links to alternatives, shown below the card. */
  readonly alternatives?: ReactNode;
  readonly children: ReactNode;
}

/** A page for a visitor who is not signed in or followed a link: one card with one task. */
export function VisitorPage({ title, text, alternatives, children }: VisitorPageProps) {
  const headingRef = usePageTitle(title);
  return (
    <div className={classes["page"]}>
      <div className={classes["brand"]}>
        <img src="/icons/bell.svg" alt="" width={40} height={40} />
        <span>Tocsin</span>
      </div>
      <main className={classes["card"]}>
        <Title order={1} size="h3" tabIndex={-1} ref={headingRef}>
          {title}
        </Title>
        {text !== undefined && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
        {children}
      </main>
      {alternatives !== undefined && <nav className={classes["alternatives"]}>{alternatives}</nav>}
    </div>
  );
}
