import { useEffect, useState } from "react";
import { DRAFT_KEY } from "../../accounts/account-context.ts";
import { addresseeIn, EMPTY_DRAFT, parseDraft, type Draft } from "./draft.ts";

/** A draft, what changes it, and what begins a new one. */
export interface Writing {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
  readonly clear: () => void;
}

/** Makes a draft that of this tab, for the page that opens next. */
export function keepDraft(draft: Draft): void {
  sessionStorage.setItem(DRAFT_KEY, JSON.stringify(draft));
}

/** Returns the draft of this tab, which outlives a reload; whom the page's address names, it is for. */
export function useDraft(search: Readonly<Record<string, unknown>>): Writing {
  const [draft, setDraft] = useState<Draft>(() => {
    const kept = parseDraft(sessionStorage.getItem(DRAFT_KEY));
    return { ...kept, to: addresseeIn(search) ?? kept.to };
  });
  useEffect(() => {
    keepDraft(draft);
  }, [draft]);
  return {
    draft,
    change: (changed) => setDraft((before) => ({ ...before, ...changed })),
    clear: () => setDraft(({ to }) => ({ ...EMPTY_DRAFT, to })),
  };
}
