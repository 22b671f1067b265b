/** Gives the focus back to the title of the page, where what had it is gone. */
export function focusTitle(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
