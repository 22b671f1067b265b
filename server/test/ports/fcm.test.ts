import { registerProviderTests } from "./register-provider-tests.ts";

registerProviderTests("fcm");
