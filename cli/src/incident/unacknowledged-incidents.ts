import type { FeedItem, IncidentState } from "@tocsin/sdk";

/** An incident that nobody has acknowledged, with the title of its line. */
export interface UnacknowledgedIncident {
  readonly id: string;
  readonly title: string;
}

/** The incidents on the screen that nobody has acknowledged. */
export interface UnacknowledgedIncidents {
  /** Adds the incident of a printed line, or removes it if the line shows that it is acknowledged or resolved. */
  readonly add: (item: FeedItem) => void;
  /** Removes an incident whose new state is acknowledged or resolved. */
  readonly update: (incidentId: string, state: IncidentState) => void;
  /** Removes and returns the incident of the newest line; null if there is none. */
  readonly removeNewest: () => UnacknowledgedIncident | null;
  /** Adds an incident again, as the newest. */
  readonly restore: (incident: UnacknowledgedIncident) => void;
}

/** Returns an empty list of incidents. */
export function createUnacknowledgedIncidents(): UnacknowledgedIncidents {
  // A map keeps insertion order.
  const titles = new Map<string, string>();
  const restore = ({ id, title }: UnacknowledgedIncident) => {
    titles.delete(id);
    titles.set(id, title);
  };
  return {
    restore,
    add({ incidentId, incidentState, title }) {
      // An older server sends neither the id nor the state.
      if (typeof incidentId !== "string") return;
      if (isUnacknowledged(incidentState)) restore({ id: incidentId, title });
      else titles.delete(incidentId);
    },
    update(incidentId, state) {
      if (!isUnacknowledged(state)) titles.delete(incidentId);
    },
    removeNewest() {
      const newest = [...titles].at(-1);
      if (newest === undefined) return null;
      const [id, title] = newest;
      titles.delete(id);
      return { id, title };
    },
  };
}

function isUnacknowledged(state: IncidentState | null): boolean {
  return state === "triggered" || state === "expired";
}
