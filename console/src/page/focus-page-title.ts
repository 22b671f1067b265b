/** Moves the focus to the title of the page. Called after the focused element was removed. */
export function focusPageTitle(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
