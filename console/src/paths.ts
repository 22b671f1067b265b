/** All paths of the console. A segment with `$` matches any value. The server serves the page at each path. */
export const PATHS = {
  feed: "/",
  notification: "/n/$id",
  log: "/log",
  record: "/log/$id",
  activity: "/activity",
  devices: "/devices",
  groups: "/groups",
  teams: "/teams",
  team: "/teams/$id",
  policies: "/policies",
  incidents: "/incidents",
  actLink: "/a",
  send: "/send",
  keys: "/keys",
  builder: "/keys/builder",
  providers: "/providers",
  administration: "/admin",
  accounts: "/admin/accounts",
  rules: "/admin/rules",
  mail: "/admin/mail",
  audit: "/admin/audit",
  settings: "/settings",
  security: "/settings/security",
  access: "/settings/access",
  signIn: "/sign-in",
  signInReturn: "/sign-in/oidc",
  signUp: "/sign-up",
  forgottenPassword: "/forgotten",
  setUp: "/set-up",
  invitation: "/invitation",
  verifyEmail: "/verify",
  verifyEmailChange: "/verify-email-change",
  pairing: "/add",
  welcome: "/welcome",
  reset: "/reset",
  resetPassword: "/reset-password",
} as const;

/** Documents that the console shows in a frame, each with its own Content-Security-Policy. */
export const FRAME_PATHS = { picture: "/picture.html" } as const;

/** Paths of this origin that are not pages of the console. */
export const SERVER_PATHS =
  /^\/(?:api|docs|picture\.html|openapi\.json|healthz|readyz|metrics|robots\.txt)(?:\/|$)/;
