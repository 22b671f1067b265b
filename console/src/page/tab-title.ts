/** The two parts of the tab's title: the page and the unread count. */
const tab = { title: "Tocsin", unread: 0 };

/** Sets the name of the page in the tab's title. */
export function setTabTitle(title: string): void {
  tab.title = title;
  updateTitle();
}

/** Sets the unread count in the tab's title. */
export function setTabUnread(unread: number): void {
  tab.unread = unread;
  updateTitle();
}

/** Returns the text of the tab's title. */
export function formatTabTitle({ title, unread }: typeof tab): string {
  const name = title === "Tocsin" ? title : `${title} · Tocsin`;
  return unread === 0 ? name : `(${unread}) ${name}`;
}

function updateTitle(): void {
  document.title = formatTabTitle(tab);
}
