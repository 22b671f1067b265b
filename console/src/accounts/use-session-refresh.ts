import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { sessionQuery } from "./session.ts";

/** Returns what asks the server anew who is signed in, and lets the guards of the routes see it. */
export function useSessionRefresh(): () => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await router.invalidate();
  };
}
