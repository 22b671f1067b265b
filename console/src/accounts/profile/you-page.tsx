import { AccountCard } from "./account-card.tsx";
import { DataCard } from "./data-card.tsx";
import { LookCard } from "./look-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";

/** The person's account, the look of the console, and their data. */
export function YouPage() {
  return (
    <ProfileFrame name="you">
      <AccountCard />
      <LookCard />
      <DataCard />
    </ProfileFrame>
  );
}
