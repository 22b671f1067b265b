/** What the browser's tab says: the page, and how much is unread. */
const tab = { title: "Tocsin", unread: 0 };

/** Names the page in the browser's tab. */
export function nameTab(title: string): void {
  tab.title = title;
  write();
}

/** Says in the browser's tab how much is unread. */
export function countInTab(unread: number): void {
  tab.unread = unread;
  write();
}

/** Returns what a tab says. */
export function tabTitleOf({ title, unread }: typeof tab): string {
  const name = title === "Tocsin" ? title : `${title} · Tocsin`;
  return unread === 0 ? name : `(${unread}) ${name}`;
}

function write(): void {
  document.title = tabTitleOf(tab);
}
