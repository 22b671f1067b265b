/** Where a tab keeps what is being written. */
export const DRAFT_KEY = "tocsin.draft";

/** Forgets the draft of this tab. */
export function forgetDraft(): void {
  sessionStorage.removeItem(DRAFT_KEY);
}
