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
import { watchInstall } from "./devices/pairing/use-install.ts";
import { startLanguage } from "./language/language.ts";
import { takeLinkToken } from "./link-token.ts";
import { createQueryClient } from "./query-client.ts";
import { reloadOnMissingChunk } from "./missing-chunk.ts";
import { ToastList } from "./page/toast-list.tsx";
import { createConsoleRouter } from "./router/router.tsx";
import { theme } from "./theme.ts";
import { onOpenPath } from "./worker/on-open-path.ts";
import { watchUpdates } from "./worker/update.ts";

takeLinkToken();
watchInstall();
void watchUpdates();
reloadOnMissingChunk();
await startLanguage();

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);
onUnauthenticated(() => void leaveEndedSession({ router, queryClient }));
followOtherTabs({ router, queryClient });
onOpenPath((href) => void router.navigate({ href }));

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no #root element.");
createRoot(element).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      // The Content-Security-Policy forbids style elements, so the build writes the variables to a file.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <ToastList />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
