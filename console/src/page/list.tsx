import { Text } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./list.module.css";

/** Items of one kind, one below the other on one surface. */
export function List({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <ul className={classes["list"]} aria-label={label}>
      {children}
    </ul>
  );
}

export interface ListItemProps {
  readonly icon: Icon;
  readonly title: string;
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  /** Identifies the item in tests. */
  readonly id?: string;
  readonly children?: ReactNode;
  /** Content below the rest, in full width. */
  readonly below?: ReactNode;
}

/** One item of a list: its name, its state and its actions. */
export function ListItem({
  icon: ItemIcon,
  title,
  badge,
  actions,
  id,
  children,
  below,
}: ListItemProps) {
  return (
    <li className={classes["item"]} data-id={id}>
      <span className={classes["icon"]}>
        <ItemIcon size={20} stroke={1.75} aria-hidden />
      </span>
      <div className={classes["text"]}>
        <div className={classes["title"]}>
          <Text fw={600}>{title}</Text>
          {badge}
        </div>
        {children}
      </div>
      {actions !== undefined && <div className={classes["actions"]}>{actions}</div>}
      {below !== undefined && <div className={classes["below"]}>{below}</div>}
    </li>
  );
}
