import { testProvider } from "./test-provider.ts";

testProvider("apns");
