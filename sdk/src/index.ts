export type {
  Account,
  AccessToken,
  EmailVerification,
  IssuedAccessToken,
  NewAccessToken,
  PasswordReset,
  PasswordResetRequest,
  Session,
  SignIn,
  SignUp,
} from "./account.ts";
export { ACTIVITY_DAYS } from "./activity.ts";
export type {
  Activity,
  ActivityDay,
  ActivityDays,
  ActivityQuery,
  EndedCounts,
} from "./activity.ts";
export { SIGN_UP_POLICIES } from "./administration.ts";
export type {
  AccountsQuery,
  CreatedSignUpInvitation,
  Finding,
  ListedAccount,
  NearLimit,
  HeldTeam,
  AccountDetail,
  BackupStatus,
  ListedAccountChange,
  MailState,
  NewSignUpInvitation,
  ProviderFailure,
  ProviderSetting,
  ProviderState,
  ProviderStatus,
  ProviderTrouble,
  ResetLink,
  ServerHealth,
  ServerSettings,
  Setting,
  SettingsChange,
  SignUpInvitation,
  SignUpPolicy,
  CompleteList,
} from "./administration.ts";
export type { ResponseBodies } from "./response-bodies.ts";
export { AUDIT_ACTIONS, AUDIT_ACTORS } from "./audit.ts";
export type {
  AuditAction,
  AuditActor,
  AuditActorKind,
  AuditChange,
  AuditEvent,
  AuditQuery,
  ServerAuditQuery,
} from "./audit.ts";
export { createClient } from "./client.ts";
export type { Client } from "./client.ts";
export { ACT_MEANS, INCIDENT_STATES } from "./incident.ts";
export type {
  ActedByLink,
  ActedIncident,
  ActMeans,
  Incident,
  IncidentAct,
  IncidentDetail,
  IncidentQuery,
  IncidentHistoryEntry,
  IncidentReference,
  IncidentReceipt,
  LinkedIncident,
  IncidentsQuery,
  IncidentState,
} from "./incident.ts";
export { PROMPT_STATES } from "./prompt.ts";
export type {
  AnsweredPrompt,
  AnswerInput,
  Prompt,
  PromptAnswer,
  PromptReceipt,
  PromptsQuery,
  PromptState,
} from "./prompt.ts";
export { INTERACTION_LIMITS, CAUSES } from "./interaction.ts";
export type {
  InteractionReference,
  InteractionRequest,
  Cause,
  IncidentEventName,
} from "./interaction.ts";
export {
  CONTENT_FIELDS,
  DEFAULT_CHANNEL,
  DEFAULT_PRIORITY,
  EMPTY_CONTENT,
  PRIORITIES,
  SOUNDS,
  CHANNEL_PATTERN,
} from "./content.ts";
export type { ContentField, NotificationContent, Priority, Sound } from "./content.ts";
export { CookieJar } from "./cookie-jar.ts";
export {
  APP_PROOFS,
  ATTEMPT_OUTCOMES,
  DELIVERY_CODES,
  DELIVERY_STATE_GROUPS,
  DELIVERY_STATES,
} from "./delivery.ts";
export type {
  AppProof,
  AttemptOutcome,
  DeliveriesQuery,
  Delivery,
  DeliveryAttempt,
  DeliveryCode,
  DeliveryCounts,
  DeliveryDetail,
  DeliveryProof,
  DeviceOwner,
  DeliveryStateGroup,
  DeliveryState,
} from "./delivery.ts";
export { PLATFORMS } from "./device.ts";
export type {
  Act,
  ActName,
  ActResponse,
  ApnsAddress,
  AppCredentials,
  Device,
  DeviceApp,
  DeviceCredential,
  LeftDevice,
  DeviceChange,
  DeviceGroup,
  DeviceGroupChange,
  FcmAddress,
  LastDelivery,
  NewDevice,
  NewDeviceApp,
  NewDeviceGroup,
  Platform,
  PushAddress,
  RegisteredDevice,
  RenewedActionKey,
  WebPushKey,
  WebPushAddress,
} from "./device.ts";
export { ACCOUNT_TARGET_KINDS, TEAM_TARGET_KINDS, TEST_OMISSIONS } from "./escalation.ts";
export type {
  EscalationPolicy,
  EscalationPolicyChange,
  EscalationStep,
  EscalationTarget,
  NewEscalationPolicy,
  PolicyTest,
  ReachedStep,
  ReachedTarget,
  TestOmission,
} from "./escalation.ts";
export { TocsinConnectionError, TocsinError } from "./errors.ts";
export type {
  ApiErrorBody,
  ApiErrorCode,
  ApiErrorDetail,
  AppErrorCode,
  ClientErrorCode,
  ErrorCode,
  ManagementErrorBody,
  ManagementErrorCode,
  NotificationErrorCode,
  SchemeFault,
  TocsinErrorFields,
} from "./errors.ts";
export type {
  Channel,
  ChannelList,
  FeedChange,
  FeedItem,
  FeedQuery,
  LiveData,
  LiveEvent,
  LiveEventKind,
  ReadMark,
  UnreadMark,
} from "./feed.ts";
export type {
  ApiKey,
  ApiKeyChange,
  CallbackSecret,
  Dialect,
  DialectList,
  IssuedApiKey,
  KeyKind,
  KeyRotation,
  NewApiKey,
  NewApiKeyFields,
} from "./key.ts";
export { DIALECTS } from "./key.ts";
export { formatPushoverUserKey, parsePushoverUserKey } from "./pushover-user-key.ts";
export type { PushoverRecipient } from "./pushover-user-key.ts";
export { LIMITS } from "./limits.ts";
export { HARMLESS_LINK_SCHEMES, decideLinkWay, REFUSED_LINK_SCHEMES } from "./link.ts";
export type { LinkWay } from "./link.ts";
export type { LiveOptions } from "./live.ts";
export type {
  Addressee,
  AsyncSendResult,
  DeviceResult,
  Notification,
  NotificationAudience,
  NotificationDetail,
  NotificationRecord,
  PersonalNotification,
  NotificationsQuery,
  SendingKey,
  SendResult,
  WithNotificationId,
  PersonalSendResult,
} from "./notification.ts";
export type { OidcSignInRequest, OidcSignInStart, OidcCallback, SignInMethods } from "./oidc.ts";
export type { CreatedPairing, PairingResult, Pairing, PairingProof } from "./pairing.ts";
export type { Page, PageQuery, Timestamp } from "./page.ts";
export { newIdempotencyKey, type SendOptions } from "./operations/send.ts";
export type { ActInput, ReceiptOptions } from "./operations/incidents.ts";
export { PROVIDER_LABELS, PROVIDERS, PUSH_PROVIDERS } from "./provider.ts";
export type { ProviderName, PushProviderName, ServiceTrouble } from "./provider.ts";
export type { CallOptions } from "./request.ts";
export type {
  AccountChange,
  AccountSession,
  BackupCodes,
  EmailChange,
  NewPasskey,
  Passkey,
  PasskeyChange,
  PasskeyOptions,
  PasskeySignIn,
  PasskeySignInOptions,
  PasswordConfirmation,
  PasswordChange,
  SignInCode,
  SignInResult,
  SignInSettings,
  TwoFactorCode,
  TwoFactorSecrets,
} from "./security.ts";
export { normalizeBaseUrl } from "./server.ts";
export type { ClientOptions, Fetch } from "./server.ts";
export { INVITATION_MAILS, INVITATION_STATES, RECIPIENT_MAILS, TEAM_ROLES } from "./team.ts";
export type {
  CreatedInvitation,
  CreatedTeam,
  EndedInvitation,
  Invitation,
  InvitationMail,
  InvitationState,
  InvitationPreview,
  ManagementResult,
  Member,
  NewInvitation,
  NewTeam,
  ReceivedInvitation,
  RecipientMails,
  RoleChange,
  Team,
  TeamDetail,
  TeamDevice,
  TeamInvitationRequest,
  TeamRole,
} from "./team.ts";
