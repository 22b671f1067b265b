import { AccountCard } from "./account-card.tsx";
import { DataCard } from "./data-card.tsx";
import { LookCard } from "./look-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";

/** Who a person is here, how the console looks to them, and everything that is theirs. */
export function YouPage() {
  return (
    <ProfileFrame name="you">
      <AccountCard />
      <LookCard />
      <DataCard />
    </ProfileFrame>
  );
}
