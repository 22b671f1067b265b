declare global {
  interface Window {
    /** Trusted Types (W3C): TypeScript does not know them yet, and some browsers lack them. */
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

/** The page's policy (`trusted-types`) allows this one name, once. */
const policy = window.trustedTypes?.createPolicy("tocsin-worker", {
  createScriptURL: (url) => {
    if (url === WORKER_PATH) return url;
    throw new TypeError("No script but the worker may be named.");
  },
});

/** Returns the registration of a running worker; it is registered again with every start, which updates it. */
export async function readyWorker(): Promise<ServiceWorkerRegistration> {
  const trusted = policy?.createScriptURL(WORKER_PATH) ?? WORKER_PATH;
  // The type checker does not know that a TrustedScriptURL works as a string here.
  await navigator.serviceWorker.register(trusted as string, {
    scope: "/",
    updateViaCache: "none",
  });
  const message = "The page's worker did not start. Reload the page.";
  return inTime(navigator.serviceWorker.ready, { timeoutMs: READY_TIMEOUT_MS, message });
}

/** Resolves with the value of a browser's promise; rejects with `message` after `timeoutMs`. */
export function inTime<T>(
  promise: Promise<T>,
  { timeoutMs, message }: { readonly timeoutMs: number; readonly message: string },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
