import { lazy, Suspense } from "react";
import { useIsKeyboardHelpVisible } from "./keyboard-help.ts";
import { useSingleKeyShortcuts } from "./use-single-key-shortcuts.ts";

const KeyboardHelpDialog = lazy(async () => ({
  default: (await import("./keyboard-help-dialog.tsx")).KeyboardHelpDialog,
}));

interface KeyboardShortcutsProps {
  /** In the notation of this operating system. */
  readonly paletteShortcut: string;
  readonly onSearch: () => void;
}

/** Listens to the global single-key shortcuts and shows the list of shortcuts on request. */
export function KeyboardShortcuts({ paletteShortcut, onSearch }: KeyboardShortcutsProps) {
  useSingleKeyShortcuts(onSearch);
  return useIsKeyboardHelpVisible() ? (
    <Suspense>
      <KeyboardHelpDialog paletteShortcut={paletteShortcut} />
    </Suspense>
  ) : null;
}
