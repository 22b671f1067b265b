/** The version of Gotify whose API this is. Clients show it, and compare it with the version that they need. */
export const GOTIFY_VERSION = "2.9.1";
