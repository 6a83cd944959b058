// What docs/typed.md imports as the plan of an application.
import type { StandardSchema } from "@vendor/sdk/typed";

export declare const plan: {
  readonly signup: StandardSchema<{ tier: "free" | "pro"; coupon?: string | undefined }>;
  readonly search: StandardSchema<{ query?: string | undefined }>;
  readonly logout: undefined;
};
