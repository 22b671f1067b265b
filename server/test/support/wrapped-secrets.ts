/** Secrets as the previous version sealed them: each with a separate key, wrapped by the master key. */
export const WRAPPED_SECRETS = {
  masterKey: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  session: "the session secret of the version before",
  files: {
    "session-secret":
      '{"sealed":1,"kid":"ba7599d9","key":"ktE9_V1FWV2AXf0Ha7SSWmfj1_YLiMujSLwkQccMwJNFfjfqFV4djUQ2y8XgJHhlZkfvRGELFqZobXlp","value":"ZoK8P2WgS-Os1T7ik8h71I7_LhJKEnB-7cimy9ezs7XEZqTsYve50MT7yvJ4k-Iufbahj_pkcy4ZkM1W4vWhguRtnjo"}',
    "vapid.json":
      '{"sealed":1,"kid":"ba7599d9","key":"bk-DXUgN5ofHOFwb5xF-8UgyqvH6U8t6vKO25dFBG1p-bgQPPxvvQdUAd5PhYhvY0H_OFXSYQOj4yBXG","value":"4Sgy8TLk81nxeIpRHTqnHH4zoY41WTX-wUXtlU3G4bbUmPjaOePMot-Y33XoJLJfDMZF1kavNvXSrFap8ykJ5OHeOpkT7b-aUy0EGGdNeGECx3wSuT_CUDSWlsz99fMh1cL-ofdNn0EAgKirawJweYdhAO9hswhDxxcUIfurnl9lqMX4aBTjoB8z4lYXuBvhT9jtN53-hx5S_BUAemX3VS2yyq-l_k0Popq-BIAzbqL6Xg9Yi8dUo3egfudrNg"}',
  },
};
