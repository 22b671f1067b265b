/** Moves the focus to the title of the page if the focused element is gone. */
export function focusTitle(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
