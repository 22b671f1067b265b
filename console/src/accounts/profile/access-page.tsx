import { ActivityCard } from "./activity-card.tsx";
import { AccessTokensCard } from "./access-tokens-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** The browsers and programs that are signed in to the account. */
export function AccessPage() {
  return (
    <ProfileFrame name="access">
      <SessionsCard />
      <AccessTokensCard />
      <ActivityCard />
    </ProfileFrame>
  );
}
