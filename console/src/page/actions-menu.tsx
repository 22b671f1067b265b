import { ActionIcon, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useRef, type MouseEvent, type ReactNode } from "react";

interface ActionsMenuProps {
  /** Label of the button for screen readers. */
  readonly label: string;
  /** Size of the button, in pixels. */
  readonly size?: number;
  /** Items of the menu. */
  readonly children: ReactNode;
}

/** A button with three dots that opens a menu. It gets the focus back after the dialog of an item has closed. */
export function ActionsMenu({ label, size = 30, children }: ActionsMenuProps) {
  const buttonRef = useRef<HTMLButtonElement>(null);
  // When a dialog closes, it returns the focus to the element that had it before. A menu item no longer exists by then.
  const focusButton = ({ target }: MouseEvent) => {
    const menuItem = target instanceof Element ? target.closest('[role="menuitem"]') : null;
    if (menuItem?.matches(":disabled") === false) buttonRef.current?.focus({ preventScroll: true });
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon ref={buttonRef} variant="default" size={size} aria-label={label}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown onClickCapture={focusButton}>{children}</Menu.Dropdown>
    </Menu>
  );
}
