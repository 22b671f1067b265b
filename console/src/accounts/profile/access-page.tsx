import { ActivityCard } from "./activity-card.tsx";
import { AccessTokensCard } from "./access-tokens-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** What is signed in to the account: browsers and programs. */
export function AccessPage() {
  return (
    <ProfileFrame name="access">
      <SessionsCard />
      <AccessTokensCard />
      <ActivityCard />
    </ProfileFrame>
  );
}
