import type { FeedItem, IncidentState } from "@tocsin/sdk";

/** An incident that nobody has taken, with the title of its line. */
export interface MarkedIncident {
  readonly id: string;
  readonly title: string;
}

/** The incidents on the screen that nobody has taken. */
export interface MarkedIncidents {
  /** Marks the incident of a printed line. */
  readonly add: (item: FeedItem) => void;
  /** Applies a change of an incident. */
  readonly update: (incidentId: string, state: IncidentState) => void;
  /** Removes and returns the incident of the newest line; null if there is none. */
  readonly take: () => MarkedIncident | null;
  /** Marks an incident again, as the newest. */
  readonly putBack: (incident: MarkedIncident) => void;
}

/** Returns an empty list of incidents. */
export function createMarkedIncidents(): MarkedIncidents {
  // A map keeps insertion order.
  const titles = new Map<string, string>();
  const putBack = ({ id, title }: MarkedIncident) => {
    titles.delete(id);
    titles.set(id, title);
  };
  return {
    putBack,
    add({ incidentId, incidentState, title }) {
      // A server of an earlier version sends neither.
      if (typeof incidentId !== "string") return;
      if (isUntaken(incidentState)) putBack({ id: incidentId, title });
      else titles.delete(incidentId);
    },
    update(incidentId, state) {
      if (!isUntaken(state)) titles.delete(incidentId);
    },
    take() {
      const newest = [...titles].at(-1);
      if (newest === undefined) return null;
      const [id, title] = newest;
      titles.delete(id);
      return { id, title };
    },
  };
}

function isUntaken(state: IncidentState | null): boolean {
  return state === "triggered" || state === "expired";
}
