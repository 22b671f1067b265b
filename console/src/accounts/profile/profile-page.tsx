import { AccountCard } from "./account-card.tsx";
import { AccountDataCard } from "./account-data-card.tsx";
import { PreferencesCard } from "./preferences-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";

/** The page with the account's name and email address, the preferences of this browser, and the account's data. */
export function ProfilePage() {
  return (
    <ProfileFrame name="you">
      <AccountCard />
      <PreferencesCard />
      <AccountDataCard />
    </ProfileFrame>
  );
}
