import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

/** The person's ways to sign in. */
export function SecurityPage() {
  return (
    <ProfileFrame name="security">
      <PasswordCard />
      <PasskeysCard />
      <TwoFactorCard />
    </ProfileFrame>
  );
}
