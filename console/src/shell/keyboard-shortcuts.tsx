import { lazy, Suspense } from "react";
import { useKeyboardHelp } from "./keyboard-help.ts";
import { useSingleKeyShortcuts } from "./use-single-key-shortcuts.ts";

const KeyboardHelpDialog = lazy(async () => ({
  default: (await import("./keyboard-help-dialog.tsx")).KeyboardHelpDialog,
}));

interface KeyboardShortcutsProps {
  /** The palette's shortcut, in the notation of this operating system. */
  readonly shortcut: string;
  readonly onSearch: () => void;
}

/** Listens to the global single-key shortcuts and shows the list of all shortcuts. */
export function KeyboardShortcuts({ shortcut, onSearch }: KeyboardShortcutsProps) {
  useSingleKeyShortcuts(onSearch);
  return useKeyboardHelp() ? (
    <Suspense>
      <KeyboardHelpDialog shortcut={shortcut} />
    </Suspense>
  ) : null;
}
