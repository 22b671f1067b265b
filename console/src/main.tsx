import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "virtual:theme.css";
import "./theme.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { leaveEndedSession } from "./accounts/ended-session.ts";
import { followOtherTabs } from "./accounts/other-tabs.ts";
import { onUnauthenticated } from "./client.ts";
import { watchInstall } from "./devices/pairing/install.ts";
import { startLanguage } from "./language/language.ts";
import { takeLinkToken } from "./link-token.ts";
import { createQueryClient } from "./query-client.ts";
import { reloadWhenReplaced } from "./replaced.ts";
import { Toasts } from "./page/toasts-shown.tsx";
import { createConsoleRouter } from "./router/router.tsx";
import { theme } from "./theme.ts";
import { onOpenPath } from "./worker/open-paths.ts";
import { watchUpdates } from "./worker/update.ts";

takeLinkToken();
watchInstall();
void watchUpdates();
reloadWhenReplaced();
await startLanguage();

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);
onUnauthenticated(() => void leaveEndedSession({ router, queryClient }));
followOtherTabs({ router, queryClient });
onOpenPath((href) => void router.navigate({ href }));

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no root.");
createRoot(element).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      // Our policy forbids style elements: the build writes the variables to a file.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <Toasts />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
