import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./profile.module.css";

export interface RowProps {
  readonly title: string;
  readonly badge?: ReactNode;
  readonly text: ReactNode;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** One thing that can be changed: what it is, how it stands, and the buttons for it. */
export function Row({ title, badge, text, children }: RowProps) {
  return (
    <div className={classes["row"]}>
      <div className={classes["words"]}>
        <Text size="sm" fw={600} component="div">
          {title} {badge}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {text}
        </Text>
      </div>
      <div className={classes["buttons"]}>{children}</div>
    </div>
  );
}

/** Such things, one below the other. */
export function Rows({ children }: { readonly children: ReactNode }) {
  return <div className={classes["rows"]}>{children}</div>;
}
