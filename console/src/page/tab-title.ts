/** The two parts of the tab's title: the page and the unread count. */
const tabTitle = { pageName: "Tocsin", unreadCount: 0 };

/** Sets the name of the page in the tab's title. */
export function setTabPageName(pageName: string): void {
  tabTitle.pageName = pageName;
  updateDocumentTitle();
}

/** Sets the unread count in the tab's title. */
export function setTabUnreadCount(unreadCount: number): void {
  tabTitle.unreadCount = unreadCount;
  updateDocumentTitle();
}

/** Returns the text of the tab's title. */
export function formatTabTitle({ pageName, unreadCount }: typeof tabTitle): string {
  const title = pageName === "Tocsin" ? pageName : `${pageName} · Tocsin`;
  return unreadCount === 0 ? title : `(${unreadCount}) ${title}`;
}

function updateDocumentTitle(): void {
  document.title = formatTabTitle(tabTitle);
}
