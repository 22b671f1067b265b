import { newIdempotencyKey } from "@tocsin/sdk";
import { useEffect, useState } from "react";
import { getDraftStorageKey, useAccount } from "../../accounts/account-context.ts";
import { parseAddresseeQuery, EMPTY_DRAFT, parseDraft, type Draft } from "./draft.ts";

/** A draft with functions that change it. */
export interface DraftState {
  readonly draft: Draft;
  /** Changes fields of the draft. A changed draft gets a new idempotency key. */
  readonly change: (changes: Partial<Draft>) => void;
  /** Renews the idempotency key after a send, so that the same draft can be sent again. */
  readonly renewIdempotencyKey: () => void;
  /** Empties the draft, but keeps its addressee. */
  readonly clear: () => void;
}

/** Stores a draft in this tab. The send page reads it. */
export function storeDraft(accountId: string, draft: Draft): void {
  sessionStorage.setItem(getDraftStorageKey(accountId), JSON.stringify(draft));
}

/** Returns this tab's draft, which survives a reload. An addressee in the page's query replaces that of the draft. */
export function useDraft(search: Readonly<Record<string, unknown>>): DraftState {
  const { id } = useAccount();
  const [draft, setDraft] = useState<Draft>(() => {
    const storedDraft = parseDraft(sessionStorage.getItem(getDraftStorageKey(id)));
    const to = parseAddresseeQuery(search) ?? storedDraft.to;
    const isUnchanged = to === storedDraft.to && storedDraft.idempotencyKey !== "";
    return isUnchanged ? storedDraft : { ...storedDraft, to, idempotencyKey: newIdempotencyKey() };
  });
  useEffect(() => {
    storeDraft(id, draft);
  }, [id, draft]);
  const change = (changes: Partial<Draft>) =>
    setDraft((previous) => ({ ...previous, ...changes, idempotencyKey: newIdempotencyKey() }));
  return {
    draft,
    change,
    renewIdempotencyKey: () => change({}),
    clear: () => change({ ...EMPTY_DRAFT, to: draft.to }),
  };
}
