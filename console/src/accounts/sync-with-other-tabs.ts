import { leaveEndedSession, reloadForNewAccount, type PageDeps } from "./ended-session.ts";
import { ACCOUNT_STORAGE_KEY, parseAccount } from "./stored-account.ts";
import { sessionQuery } from "./session.ts";

/**
 * Watches the other tabs, which share this page's cookie. After a sign-out in another tab, this page opens the sign-in
 * page. After a sign-in to another account, it reloads.
 */
export function syncWithOtherTabs(deps: PageDeps): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== ACCOUNT_STORAGE_KEY) return;
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
