import { leaveEndedSession, reloadForNewAccount, type PageDeps } from "./ended-session.ts";
import { ACCOUNT_KEY, parseAccount } from "./stored-account.ts";
import { sessionQuery } from "./session.ts";

/**
 * Watches the other tabs, which share this page's cookie. A sign-out in one opens the sign-in page here; a sign-in to
 * another account reloads this page.
 */
export function followOtherTabs(deps: PageDeps): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== ACCOUNT_KEY) return;
    const cachedAccount = deps.queryClient.getQueryData(sessionQuery.queryKey) ?? null;
    if (cachedAccount === null) return;
    const account = parseAccount(newValue);
    if (account === null) {
      void leaveEndedSession(deps);
    } else if (account.id !== cachedAccount.id) {
      reloadForNewAccount();
    }
  });
}
