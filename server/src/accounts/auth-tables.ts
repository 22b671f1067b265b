/** Our tables and columns by the sign-in library's names; its "account" is a way to sign in, our credential. */
export const AUTH_TABLES = {
  user: {
    modelName: "account",
    fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
    additionalFields: {
      isAdmin: { type: "boolean", required: true, input: false, fieldName: "is_admin" },
      suspendedAt: { type: "number", required: false, input: false, fieldName: "suspended_at" },
    },
  },
  session: {
    modelName: "session",
    fields: {
      userId: "account_id",
      expiresAt: "expires_at",
      ipAddress: "ip_address",
      userAgent: "user_agent",
      createdAt: "created_at",
      updatedAt: "updated_at",
    },
  },
  account: {
    modelName: "credential",
    fields: {
      userId: "account_id",
      providerId: "provider_id",
      accountId: "subject",
      accessToken: "access_token",
      refreshToken: "refresh_token",
      idToken: "id_token",
      accessTokenExpiresAt: "access_token_expires_at",
      refreshTokenExpiresAt: "refresh_token_expires_at",
      createdAt: "created_at",
      updatedAt: "updated_at",
    },
  },
  verification: {
    modelName: "verification",
    storeIdentifier: "hashed",
    fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
  },
} as const;
