import { Text } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./list.module.css";

/** A list of items on one surface. */
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

interface ListItemProps {
  readonly icon: Icon;
  readonly title: string;
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  /** Id of the item, for tests. */
  readonly id?: string;
  readonly children?: ReactNode;
  /** Full-width content at the bottom. */
  readonly footer?: ReactNode;
}

/** An item of a list, with a title, a badge and actions. */
export function ListItem({
  icon: ItemIcon,
  title,
  badge,
  actions,
  id,
  children,
  footer,
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
      {footer !== undefined && <div className={classes["footer"]}>{footer}</div>}
    </li>
  );
}
