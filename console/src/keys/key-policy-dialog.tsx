import { Modal, Select, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiKey, EscalationPolicy } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { policiesQuery } from "../incidents/policies/policy-queries.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { PATHS } from "../paths.ts";
import { setEscalationPolicy } from "./key-queries.ts";

interface KeyPolicyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** A dialog that sets the escalation policy of a key to one of its owner's policies, or to none. */
export function KeyPolicyDialog({ apiKey, onClose }: KeyPolicyDialogProps) {
  const { t } = useTranslation();
  const policies = useQuery(policiesQuery);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("policy.key.title", { hint: apiKey.hint })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <QueryContent query={policies} rows={1}>
        {(items) => {
          const ownPolicies = items.filter(({ teamId }) => teamId === apiKey.teamId);
          return ownPolicies.length === 0 ? (
            <NoPolicies />
          ) : (
            <PolicyChoice apiKey={apiKey} policies={ownPolicies} onClose={onClose} />
          );
        }}
      </QueryContent>
    </Modal>
  );
}

function NoPolicies() {
  const { t } = useTranslation();
  return (
    <Stack>
      <Text size="sm">{t("policy.key.noneYet")}</Text>
      <ButtonLink to={PATHS.policies}>{t("policy.key.open")}</ButtonLink>
    </Stack>
  );
}

interface PolicyChoiceProps extends KeyPolicyDialogProps {
  readonly policies: readonly EscalationPolicy[];
}

/** The value of the option for no policy. */
const NONE_VALUE = "none";

function PolicyChoice({ apiKey, policies, onClose }: PolicyChoiceProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [policyId, setPolicyId] = useState(apiKey.escalationPolicyId);
  const save = async () => {
    await setEscalationPolicy(queryClient, apiKey.id, policyId);
    onClose();
  };
  return (
    <Stack>
      <Text size="sm">{t("policy.key.text")}</Text>
      <Select
        data-autofocus
        label={t("policy.key.label")}
        allowDeselect={false}
        data={[
          { value: NONE_VALUE, label: t("policy.key.none") },
          ...policies.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={policyId ?? NONE_VALUE}
        onChange={(value) => setPolicyId(value === NONE_VALUE ? null : value)}
      />
      <ActionButton run={save}>{t("policy.save")}</ActionButton>
    </Stack>
  );
}
