import { Title } from "@mantine/core";
import { useId, type ReactNode } from "react";
import classes from "./page.module.css";

interface CardProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a page on its own surface. The title labels the region. */
export function Card({ title, actions, children }: CardProps) {
  const id = useId();
  if (title === undefined) return <div className={classes["card"]}>{children}</div>;
  return (
    <section className={classes["card"]} aria-labelledby={id}>
      <div className={classes["cardHead"]}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {actions}
      </div>
      {children}
    </section>
  );
}
