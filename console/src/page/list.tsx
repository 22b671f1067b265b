import { Text } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./list.module.css";

/** Things of one kind, one below the other on one surface. */
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
  /** Tells the item apart, for tests. */
  readonly id?: string;
  readonly children?: ReactNode;
  /** What is said below all of that, in full width. */
  readonly below?: ReactNode;
}

/** One thing of a list: what it is, how it stands, what can be done with it. */
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
