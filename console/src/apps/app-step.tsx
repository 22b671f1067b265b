import { Text } from "@mantine/core";
import type { ReactNode } from "react";

interface AppStepProps {
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}

/** One step in the app on the phone. */
export function AppStep({ title, text, children }: AppStepProps) {
  return (
    <li>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {text !== undefined && (
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      )}
      {children}
    </li>
  );
}
