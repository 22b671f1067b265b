import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./profile.module.css";

interface SettingRowProps {
  readonly title: string;
  readonly badge?: ReactNode;
  readonly text: ReactNode;
  /** Buttons for the setting. */
  readonly children?: ReactNode;
}

/** One setting: its name, its state and the buttons that change it. */
export function SettingRow({ title, badge, text, children }: SettingRowProps) {
  return (
    <div className={classes["row"]}>
      <div className={classes["text"]}>
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

/** A column of rows. */
export function SettingRows({ children }: { readonly children: ReactNode }) {
  return <div className={classes["rows"]}>{children}</div>;
}
