import { newIdempotencyKey } from "@tocsin/sdk";
import { useEffect, useState } from "react";
import { draftKeyOf, useAccount } from "../../accounts/account-context.ts";
import { addresseeIn, EMPTY_DRAFT, parseDraft, type Draft } from "./draft.ts";

/** A draft, with functions that change it and begin a new one. */
export interface Writing {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
  /** Makes the next send another notification, even with the same text. */
  readonly settle: () => void;
  readonly clear: () => void;
}

/** Stores a draft in this tab, for the page that opens next. */
export function keepDraft(accountId: string, draft: Draft): void {
  sessionStorage.setItem(draftKeyOf(accountId), JSON.stringify(draft));
}

/** Returns the draft of this tab, which survives a reload; an addressee in the page's address replaces its own. */
export function useDraft(search: Readonly<Record<string, unknown>>): Writing {
  const { id } = useAccount();
  const [draft, setDraft] = useState<Draft>(() => {
    const kept = parseDraft(sessionStorage.getItem(draftKeyOf(id)));
    const to = addresseeIn(search) ?? kept.to;
    const isAsKept = to === kept.to && kept.sendKey !== "";
    return { ...kept, to, sendKey: isAsKept ? kept.sendKey : newIdempotencyKey() };
  });
  useEffect(() => {
    keepDraft(id, draft);
  }, [id, draft]);
  const renew = (changed: Partial<Draft>) =>
    setDraft((before) => ({ ...before, ...changed, sendKey: newIdempotencyKey() }));
  return {
    draft,
    change: renew,
    settle: () => renew({}),
    clear: () => renew({ ...EMPTY_DRAFT, to: draft.to }),
  };
}
