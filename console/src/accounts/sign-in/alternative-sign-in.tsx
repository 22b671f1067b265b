import { Divider, Stack } from "@mantine/core";
import { IconFingerprint, IconLogin2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { signInMethodsQuery, openIdentityProvider } from "./sign-in-methods.ts";
import { getPasskeyObstacle } from "./passkey-obstacle.ts";
import { signInWithPasskey } from "./passkeys.ts";

interface SignInMethodProps {
  /** Called with the error of a failed attempt, and with undefined at each new attempt. */
  readonly onError: (error: unknown) => void;
}

interface AlternativeSignInProps extends SignInMethodProps {
  readonly onSignedIn: () => Promise<void>;
}

/** The sign-in methods without a password that this browser and server support. */
export function AlternativeSignIn({ onSignedIn, onError }: AlternativeSignInProps) {
  const { t } = useTranslation();
  const { data: methods } = useQuery(signInMethodsQuery);
  const hasPasskeys = getPasskeyObstacle() === null;
  const identityProvider = methods?.oidc ?? null;
  if (!hasPasskeys && identityProvider === null) return null;
  const signIn = async () => {
    onError(undefined);
    await signInWithPasskey();
    await onSignedIn();
  };
  return (
    <Stack gap="sm">
      <Divider label={t("account.or")} />
      {hasPasskeys && (
        <ActionButton
          size="md"
          variant="default"
          leftSection={<IconFingerprint size={18} stroke={1.75} aria-hidden />}
          run={signIn}
          onError={onError}
        >
          {t("account.withPasskey")}
        </ActionButton>
      )}
      {identityProvider !== null && (
        <IdentityProviderButton {...identityProvider} token={null} onError={onError} />
      )}
    </Stack>
  );
}

/**
 * Sign-up through the identity provider; renders nothing if the server has none. `token` has the same meaning as in
 * `openIdentityProvider`.
 */
export function IdentityProviderSignUp({
  token,
  onError,
}: SignInMethodProps & {
  readonly token: string | null;
}) {
  const { t } = useTranslation();
  const { data: methods } = useQuery(signInMethodsQuery);
  const identityProvider = methods?.oidc ?? null;
  if (identityProvider === null) return null;
  return (
    <Stack gap="sm">
      <Divider label={t("account.or")} />
      <IdentityProviderButton {...identityProvider} token={token} onError={onError} />
    </Stack>
  );
}

function IdentityProviderButton({
  name,
  token,
  onError,
}: SignInMethodProps & { readonly name: string; readonly token: string | null }) {
  const { t } = useTranslation();
  const openProvider = async () => {
    onError(undefined);
    await openIdentityProvider(token);
  };
  return (
    <ActionButton
      size="md"
      variant="default"
      leftSection={<IconLogin2 size={18} stroke={1.75} aria-hidden />}
      run={openProvider}
      onError={onError}
    >
      {t("account.withProvider", { name })}
    </ActionButton>
  );
}
