import { ActivityCard } from "./activity-card.tsx";
import { AccessTokensCard } from "./access-tokens-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** The page with the browsers and programs that are signed in to the account, and its recent audit events. */
export function AccessPage() {
  return (
    <ProfileFrame name="access">
      <SessionsCard />
      <AccessTokensCard />
      <ActivityCard />
    </ProfileFrame>
  );
}
