import { SegmentedControl, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AppCredentials, Platform } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { devicesQuery } from "../devices/device-queries.ts";
import { useNtfyUpstream } from "../keys/dialects-query.ts";
import { POLL_INTERVAL_MS } from "../devices/pairing/pairing-queries.ts";
import { Form } from "../page/form.tsx";
import { addNtfyApp } from "./app-requests.ts";
import { AppConnection } from "./app-connection.tsx";
import { APP_NAMES, asksRarely } from "./app-facts.ts";
import classes from "./apps.module.css";
import { LocalAddressWarning } from "./local-address-warning.tsx";
import { NtfySteps } from "./ntfy-steps.tsx";
import { useIphoneNote } from "./use-iphone-note.ts";
import { useIsReady } from "./use-is-ready.ts";
import { TopicLinks } from "./topic-links.tsx";

const SYSTEMS = ["android", "ios"] as const satisfies readonly Platform[];
type System = (typeof SYSTEMS)[number];

/** Adds the ntfy app: first its password, then the values to enter in it, then its first notification. */
export function AddNtfyApp({ onDone }: { readonly onDone: () => void }) {
  const [credentials, setCredentials] = useState<AppCredentials | null>(null);
  if (credentials === null) return <NewPasswordForm onCreated={setCredentials} />;
  return <NtfySetup credentials={credentials} onDone={onDone} />;
}

function NewPasswordForm({
  onCreated,
}: {
  readonly onCreated: (credentials: AppCredentials) => void;
}) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [system, setSystem] = useState<System>("android");
  const note = useIphoneNote();
  const host = useNtfyUpstream();
  const consequence = host === null ? t("app.rareRemedy") : t("app.wokenLearns", { host });
  const field = {
    name: "name",
    label: t("app.name"),
    hint: t("app.nameHint"),
    type: "text",
    autoComplete: "off",
  } as const;
  return (
    <Form
      fields={[field]}
      submitLabel={t("app.create")}
      onSubmit={async (getValue) =>
        onCreated(await addNtfyApp(queryClient, { name: getValue("name"), platform: system }))
      }
    >
      <SegmentedControl<System>
        fullWidth
        aria-label={t("pairing.system")}
        value={system}
        onChange={setSystem}
        data={SYSTEMS.map((value) => ({ value, label: t(`app.system.${value}`) }))}
      />
      {system === "ios" && <Text size="sm">{`${note} ${consequence}`}</Text>}
    </Form>
  );
}

interface NtfySetupProps {
  readonly credentials: AppCredentials;
  readonly onDone: () => void;
}

function NtfySetup({ credentials, onDone }: NtfySetupProps) {
  const { t } = useTranslation();
  const { url, device: addedDevice } = credentials;
  const { data: devices } = useQuery({ ...devicesQuery, refetchInterval: POLL_INTERVAL_MS });
  const device = devices?.find(({ id }) => id === addedDevice.id) ?? addedDevice;
  const isReady = useIsReady(device);
  const iphoneNote = useIphoneNote();
  return (
    <div className={classes["setup"]}>
      {!isReady && (
        <>
          <LocalAddressWarning url={url} />
          <NtfySteps credentials={credentials} />
        </>
      )}
      <AppConnection isReady={isReady} device={device} appName={APP_NAMES.ntfy} onDone={onDone}>
        <Text size="sm">
          {asksRarely(device)
            ? iphoneNote
            : `${t("app.ntfy.webSocketLater")} ${t("app.ntfy.webSocketText")}`}
        </Text>
        <TopicLinks url={url} />
      </AppConnection>
    </div>
  );
}
