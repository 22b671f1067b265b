import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { usePageTitle } from "../page/page.tsx";
import classes from "./outside.module.css";

export interface OutsideProps {
  readonly title: string;
  readonly text?: string;
  /** Alternatives, shown below the card. */
  readonly others?: ReactNode;
  readonly children: ReactNode;
}

/** A page for visitors who are not signed in or came by a link: one card, one task. */
export function Outside({ title, text, others, children }: OutsideProps) {
  const heading = usePageTitle(title);
  return (
    <div className={classes["outside"]}>
      <div className={classes["brand"]}>
        <img src="/icons/bell.svg" alt="" width={40} height={40} />
        <span>Tocsin</span>
      </div>
      <main className={classes["card"]}>
        <Title order={1} size="h3" tabIndex={-1} ref={heading}>
          {title}
        </Title>
        {text !== undefined && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
        {children}
      </main>
      {others !== undefined && <nav className={classes["others"]}>{others}</nav>}
    </div>
  );
}
