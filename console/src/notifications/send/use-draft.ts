import { newIdempotencyKey } from "@tocsin/sdk";
import { useEffect, useState } from "react";
import { getDraftStorageKey, useAccount } from "../../accounts/account-context.ts";
import { parseAddresseeQuery, EMPTY_DRAFT, parseDraft, type Draft } from "./draft.ts";

/** A draft with functions that change it. */
export interface DraftState {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  /** Renews the idempotency key after a send, so that the same draft can be sent again. */
  readonly renewSendKey: () => void;
  readonly clear: () => void;
}

/** Stores a draft in this tab. The send page reads it. */
export function storeDraft(accountId: string, draft: Draft): void {
  sessionStorage.setItem(getDraftStorageKey(accountId), JSON.stringify(draft));
}

/** Returns this tab's draft, which survives a reload. An addressee in the page's query replaces the draft's. */
export function useDraft(search: Readonly<Record<string, unknown>>): DraftState {
  const { id } = useAccount();
  const [draft, setDraft] = useState<Draft>(() => {
    const storedDraft = parseDraft(sessionStorage.getItem(getDraftStorageKey(id)));
    const to = parseAddresseeQuery(search) ?? storedDraft.to;
    const isUnchanged = to === storedDraft.to && storedDraft.sendKey !== "";
    return { ...storedDraft, to, sendKey: isUnchanged ? storedDraft.sendKey : newIdempotencyKey() };
  });
  useEffect(() => {
    storeDraft(id, draft);
  }, [id, draft]);
  const update = (changes: Partial<Draft>) =>
    setDraft((previous) => ({ ...previous, ...changes, sendKey: newIdempotencyKey() }));
  return {
    draft,
    change: update,
    renewSendKey: () => update({}),
    clear: () => update({ ...EMPTY_DRAFT, to: draft.to }),
  };
}
