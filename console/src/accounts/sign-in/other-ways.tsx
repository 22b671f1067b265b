import { Divider, Stack } from "@mantine/core";
import { IconFingerprint, IconLogin2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { methodsQuery, leaveForProvider } from "./oidc-way.ts";
import { passkeyObstacle } from "./passkey-obstacle.ts";
import { signInWithPasskey } from "./passkeys.ts";

interface WayProps {
  /** Called with the error of a failed sign-in, and with undefined when it is tried again. */
  readonly onError: (error: unknown) => void;
}

export interface OtherWaysProps extends WayProps {
  readonly onSignedIn: () => Promise<void>;
}

/** The ways to sign in without a password that are available here. */
export function OtherWays({ onSignedIn, onError }: OtherWaysProps) {
  const { t } = useTranslation();
  const { data: methods } = useQuery(methodsQuery);
  const hasPasskeys = passkeyObstacle() === null;
  const provider = methods?.oidc ?? null;
  if (!hasPasskeys && provider === null) return null;
  const withPasskey = async () => {
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
          run={withPasskey}
          onError={onError}
        >
          {t("account.withPasskey")}
        </ActionButton>
      )}
      {provider !== null && <ProviderButton {...provider} token={null} onError={onError} />}
    </Stack>
  );
}

/** Sign-up through the identity provider, if there is one; `token` as in `leaveForProvider`. */
export function ProviderWay({
  token,
  onError,
}: WayProps & {
  readonly token: string | null;
}) {
  const { t } = useTranslation();
  const { data: methods } = useQuery(methodsQuery);
  const provider = methods?.oidc ?? null;
  if (provider === null) return null;
  return (
    <Stack gap="sm">
      <Divider label={t("account.or")} />
      <ProviderButton {...provider} token={token} onError={onError} />
    </Stack>
  );
}

function ProviderButton({
  name,
  token,
  onError,
}: WayProps & { readonly name: string; readonly token: string | null }) {
  const { t } = useTranslation();
  const leave = async () => {
    onError(undefined);
    await leaveForProvider(token);
  };
  return (
    <ActionButton
      size="md"
      variant="default"
      leftSection={<IconLogin2 size={18} stroke={1.75} aria-hidden />}
      run={leave}
      onError={onError}
    >
      {t("account.withProvider", { name })}
    </ActionButton>
  );
}
