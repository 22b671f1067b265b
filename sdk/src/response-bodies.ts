import type { Account, AccessToken, IssuedAccessToken, Session } from "./account.ts";
import type { Activity } from "./activity.ts";
import type {
  AccountDetail,
  BackupStatus,
  CreatedSignUpInvitation,
  Finding,
  ListedAccount,
  NearLimit,
  ProviderStatus,
  ResetLink,
  ServerHealth,
  ServerSettings,
  SignUpInvitation,
  CompleteList,
} from "./administration.ts";
import type { AuditEvent } from "./audit.ts";
import type { DeliveryDetail } from "./delivery.ts";
import type {
  ActResponse,
  AppCredentials,
  Device,
  DeviceGroup,
  LeftDevice,
  RegisteredDevice,
  RenewedActionKey,
  WebPushKey,
} from "./device.ts";
import type { EscalationPolicy, PolicyTest } from "./escalation.ts";
import type { ChannelList, FeedItem } from "./feed.ts";
import type {
  ActedByLink,
  ActedIncident,
  Incident,
  IncidentDetail,
  IncidentReceipt,
  LinkedIncident,
} from "./incident.ts";
import type { AnsweredPrompt, Prompt, PromptReceipt } from "./prompt.ts";
import type { ApiKey, CallbackSecret, DialectList, IssuedApiKey } from "./key.ts";
import type {
  AsyncSendResult,
  DeviceResult,
  NotificationDetail,
  NotificationRecord,
  PersonalSendResult,
  SendResult,
} from "./notification.ts";
import type { OidcSignInStart, SignInMethods } from "./oidc.ts";
import type { Page } from "./page.ts";
import type { ServiceTrouble } from "./provider.ts";
import type { CreatedPairing, PairingResult, Pairing } from "./pairing.ts";
import type {
  AccountSession,
  BackupCodes,
  Passkey,
  PasskeyOptions,
  PasskeySignInOptions,
  SignInSettings,
  TwoFactorSecrets,
} from "./security.ts";
import type {
  CreatedInvitation,
  EndedInvitation,
  CreatedTeam,
  InvitationPreview,
  ManagementResult,
  Member,
  ReceivedInvitation,
  Team,
  TeamDetail,
  TeamDevice,
} from "./team.ts";

/** The body of each operation's successful response. Operations without a response body are not listed. */
export interface ResponseBodies {
  readonly notify: SendResult;
  readonly notifyAsync: AsyncSendResult;
  readonly notifyWithKey: SendResult;
  readonly notifyWebhook: SendResult;
  readonly notifyGroup: SendResult;
  readonly "management.invite": ManagementResult;
  readonly "management.remove": ManagementResult;
  readonly session: Session;
  readonly signIn: Partial<Account> & { readonly twoFactorToken?: string };
  readonly passkeySignInOptions: PasskeySignInOptions;
  readonly signInMethods: SignInMethods;
  readonly beginOidc: OidcSignInStart;
  readonly finishOidc: Partial<Account> & { readonly twoFactorToken?: string };
  readonly "profile.update": Account;
  readonly "profile.security": SignInSettings;
  readonly "profile.audit": Page<AuditEvent>;
  readonly "twoFactor.begin": TwoFactorSecrets;
  readonly "twoFactor.renewBackupCodes": BackupCodes;
  readonly "sessions.list": Page<AccountSession>;
  readonly pair: PairingResult;
  readonly "pairings.create": CreatedPairing;
  readonly "pairings.get": Pairing;
  readonly "passkeys.list": Page<Passkey>;
  readonly "passkeys.options": PasskeyOptions;
  readonly "passkeys.create": Passkey;
  readonly "passkeys.update": Passkey;
  readonly me: Account;
  readonly "accessTokens.list": Page<AccessToken>;
  readonly "accessTokens.create": IssuedAccessToken;
  readonly "keys.list": Page<ApiKey>;
  readonly "keys.create": IssuedApiKey;
  readonly "keys.update": ApiKey;
  readonly "keys.rotate": IssuedApiKey;
  readonly "keys.createCallbackSecret": CallbackSecret;
  readonly "keys.dialects": DialectList;
  readonly "devices.list": Page<Device>;
  readonly "devices.create": RegisteredDevice;
  readonly "devices.addApp": AppCredentials;
  readonly "devices.update": Device;
  readonly "devices.test": DeviceResult;
  readonly "devices.renewActionKey": RenewedActionKey;
  readonly act: ActResponse;
  readonly "devices.left": CompleteList<LeftDevice>;
  readonly "groups.list": Page<DeviceGroup>;
  readonly "groups.create": DeviceGroup;
  readonly "groups.update": DeviceGroup;
  readonly "escalationPolicies.list": Page<EscalationPolicy>;
  readonly "escalationPolicies.create": EscalationPolicy;
  readonly "escalationPolicies.update": EscalationPolicy;
  readonly "escalationPolicies.test": PolicyTest;
  readonly "teams.list": Page<Team>;
  readonly "teams.create": CreatedTeam;
  readonly "teams.get": TeamDetail;
  readonly "teams.devices": Page<TeamDevice>;
  readonly "teams.update": Team;
  readonly "teams.invite": CreatedInvitation;
  readonly "teams.updateMember": Member;
  readonly "invitations.list": Page<ReceivedInvitation>;
  readonly "invitations.preview": InvitationPreview | EndedInvitation;
  readonly "invitations.accept": Team;
  readonly "invitations.acceptToken": Team;
  readonly "incidents.list": Page<Incident>;
  readonly "incidents.get": IncidentDetail;
  readonly "incidents.acknowledge": ActedIncident;
  readonly "incidents.acknowledgeAll": CompleteList<ActedIncident>;
  readonly "incidents.resolve": ActedIncident;
  readonly "incidents.escalate": ActedIncident;
  readonly "incidents.ringAgain": ActedIncident;
  readonly "incidents.lookByLink": LinkedIncident;
  readonly "incidents.acknowledgeByLink": ActedByLink;
  readonly "receipts.get": IncidentReceipt;
  readonly "receipts.acknowledge": ActedIncident<IncidentReceipt>;
  readonly "receipts.resolve": ActedIncident<IncidentReceipt>;
  readonly "prompts.list": Page<Prompt>;
  readonly "prompts.get": Prompt;
  readonly "prompts.answer": AnsweredPrompt;
  readonly "askedPrompts.get": PromptReceipt;
  readonly "askedPrompts.cancel": PromptReceipt;
  readonly "feed.list": Page<FeedItem>;
  readonly "feed.get": FeedItem;
  readonly "feed.deliveries": Page<DeliveryDetail>;
  readonly "channels.list": ChannelList;
  readonly "notifications.send": PersonalSendResult;
  readonly "notifications.list": Page<NotificationRecord>;
  readonly activity: Activity;
  readonly "notifications.get": NotificationDetail;
  readonly "notifications.deliveries": Page<DeliveryDetail>;
  readonly webPushKey: WebPushKey;
  readonly troubles: CompleteList<ServiceTrouble>;
  readonly "admin.accounts.list": Page<ListedAccount>;
  readonly "admin.accounts.get": AccountDetail;
  readonly "admin.accounts.devices": CompleteList<Device>;
  readonly "admin.backup": BackupStatus;
  readonly "admin.startBackup": BackupStatus;
  readonly "admin.limits": CompleteList<NearLimit>;
  readonly "admin.accounts.update": ListedAccount;
  readonly "admin.accounts.resetLink": ResetLink;
  readonly "admin.invitations.list": Page<SignUpInvitation>;
  readonly "admin.invitations.create": CreatedSignUpInvitation;
  readonly "admin.providers.list": CompleteList<ProviderStatus>;
  readonly "admin.providers.validate": CompleteList<Finding>;
  readonly "admin.settings.get": ServerSettings;
  readonly "admin.settings.update": ServerSettings;
  readonly "admin.health": ServerHealth;
  readonly "admin.audit": Page<AuditEvent>;
  readonly "admin.testMail": Finding;
}
