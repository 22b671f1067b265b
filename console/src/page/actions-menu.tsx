import { ActionIcon, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useRef, type MouseEvent, type ReactNode } from "react";

export interface ActionsMenuProps {
  /** What the button says to screen readers. */
  readonly label: string;
  /** Of the button, in pixels. */
  readonly size?: number;
  /** Its items. */
  readonly children: ReactNode;
}

/** A button with three dots that opens a menu, and has the focus again once a dialog is closed that an item opened. */
export function ActionsMenu({ label, size = 30, children }: ActionsMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  // Dialogs give the focus back to what had it when they opened: an item is gone by then.
  const focusButton = ({ target }: MouseEvent) => {
    const item = target instanceof Element ? target.closest('[role="menuitem"]') : null;
    if (item?.matches(":disabled") === false) button.current?.focus({ preventScroll: true });
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon ref={button} variant="default" size={size} aria-label={label}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown onClickCapture={focusButton}>{children}</Menu.Dropdown>
    </Menu>
  );
}
