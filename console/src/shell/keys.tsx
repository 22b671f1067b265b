import { lazy, Suspense } from "react";
import { useKeysShown } from "./keys-shown.ts";
import { useSingleKeys } from "./use-single-keys.ts";

const KeysDialog = lazy(async () => ({ default: (await import("./keys-dialog.tsx")).KeysDialog }));

export interface KeysProps {
  /** The palette's shortcut, as this machine writes it. */
  readonly shortcut: string;
  readonly search: () => void;
}

/** The keys that work everywhere, and the list of them. */
export function Keys({ shortcut, search }: KeysProps) {
  useSingleKeys(search);
  return useKeysShown() ? (
    <Suspense>
      <KeysDialog shortcut={shortcut} />
    </Suspense>
  ) : null;
}
