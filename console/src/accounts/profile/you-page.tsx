import { AccountCard } from "./account-card.tsx";
import { DataCard } from "./data-card.tsx";
import { PreferencesCard } from "./preferences-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";

/** The account's name and e-mail address, the preferences of this browser, and the account's data. */
export function YouPage() {
  return (
    <ProfileFrame name="you">
      <AccountCard />
      <PreferencesCard />
      <DataCard />
    </ProfileFrame>
  );
}
