import { testLawsOverHttp2 } from "./test-laws.ts";

testLawsOverHttp2("apns");
