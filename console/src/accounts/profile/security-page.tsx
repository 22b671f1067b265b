import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { ProfileFrame } from "./profile-frame.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

/** The account's sign-in methods. */
export function SecurityPage() {
  return (
    <ProfileFrame name="security">
      <PasswordCard />
      <PasskeysCard />
      <TwoFactorCard />
    </ProfileFrame>
  );
}
