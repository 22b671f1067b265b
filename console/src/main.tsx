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
import { syncWithOtherTabs } from "./accounts/sync-with-other-tabs.ts";
import { setUnauthenticatedListener } from "./client.ts";
import { captureInstallPrompt } from "./devices/pairing/use-install-prompt.ts";
import { initializeLanguage } from "./language/language.ts";
import { takeLinkToken } from "./link-token.ts";
import { createQueryClient } from "./query-client.ts";
import { reloadOnMissingChunk } from "./missing-chunk.ts";
import { ToastList } from "./page/toast-list.tsx";
import { createConsoleRouter } from "./router/router.tsx";
import { theme } from "./theme.ts";
import { listenForOpenedPaths } from "./worker/listen-for-opened-paths.ts";
import { watchUpdates } from "./worker/update.ts";

takeLinkToken();
captureInstallPrompt();
void watchUpdates();
reloadOnMissingChunk();
await initializeLanguage();

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);
setUnauthenticatedListener(() => void leaveEndedSession({ router, queryClient }));
syncWithOtherTabs({ router, queryClient });
listenForOpenedPaths((href) => void router.navigate({ href }));

const rootElement = document.getElementById("root");
if (rootElement === null) throw new Error("The page has no #root element.");
createRoot(rootElement).render(
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
