/** Title of the browser's tab: the page, and the unread count. */
const tab = { title: "Tocsin", unread: 0 };

/** Sets the name of the page in the browser's tab. */
export function nameTab(title: string): void {
  tab.title = title;
  write();
}

/** Sets the unread count in the browser's tab. */
export function countInTab(unread: number): void {
  tab.unread = unread;
  write();
}

/** Returns the title of a tab. */
export function tabTitleOf({ title, unread }: typeof tab): string {
  const name = title === "Tocsin" ? title : `${title} · Tocsin`;
  return unread === 0 ? name : `(${unread}) ${name}`;
}

function write(): void {
  document.title = tabTitleOf(tab);
}
