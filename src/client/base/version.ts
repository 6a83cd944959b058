/** The package's name, sent as `sdkName` in every event context. */
export const SDK_NAME = "@vendor/sdk" as const;

/** The package's version, sent as `sdkVersion` and as the header `X-Vendor-SDK-Version`. */
export const SDK_VERSION = "0.1.0";
