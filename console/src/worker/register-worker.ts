import i18next from "i18next";

declare global {
  interface Window {
    /** Trusted Types (W3C), which TypeScript has no types for yet and some browsers do not support. */
    readonly trustedTypes?: {
      createPolicy(
        name: string,
        rules: { readonly createScriptURL: (url: string) => string },
      ): { createScriptURL(url: string): object };
    };
  }
}

const WORKER_PATH = "/sw.js";
const READY_TIMEOUT_MS = 20_000;

/** The Content-Security-Policy directive `trusted-types` allows one policy with this name. */
const policy = window.trustedTypes?.createPolicy("tocsin-worker", {
  createScriptURL: (url) => {
    if (url === WORKER_PATH) return url;
    throw new TypeError("This policy accepts only the path of the service worker.");
  },
});

/** Registers the service worker, which also updates it. Returns its registration after it has become active. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const trustedPath = policy?.createScriptURL(WORKER_PATH) ?? WORKER_PATH;
  // TypeScript has no overload for a TrustedScriptURL.
  await navigator.serviceWorker.register(trustedPath as string, {
    scope: "/",
    updateViaCache: "none",
  });
  return withTimeout(navigator.serviceWorker.ready, {
    timeoutMs: READY_TIMEOUT_MS,
    message: i18next.t("error.noServiceWorker"),
  });
}

/** Resolves with the value of a promise. Rejects with `message` after `timeoutMs`. */
export function withTimeout<T>(
  promise: Promise<T>,
  { timeoutMs, message }: { readonly timeoutMs: number; readonly message: string },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
