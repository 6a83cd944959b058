/** What the modelled ingest does with a request. */
export interface Treatment {
  /** Whether its events are stored. */
  readonly isStored: boolean;
  /** HTTP status it answers with; 0 for a broken connection; absent where the answer never comes. */
  readonly status?: number;
  /** `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Where the request has no more events than that, it's accepted instead. */
  readonly acceptsUpTo?: number;
}

/** Name of a treatment. */
export type TreatmentName =
  | "202"
  | "204"
  | "400"
  | "401"
  | "403"
  | "408"
  | "413"
  | "413 over 1"
  | "413 over 3"
  | "425"
  | "429 for 60 s"
  | "500"
  | "500 after storing"
  | "501"
  | "502"
  | "503"
  | "503 for 2 s"
  | "503 for 400 s"
  | "network error"
  | "answer lost"
  | "hang"
  | "hang after storing";

/** Every treatment, by name. */
export const TREATMENTS: Readonly<Record<TreatmentName, Treatment>> = {
  "202": { isStored: true, status: 202 },
  "204": { isStored: true, status: 204 },
  "400": { isStored: false, status: 400 },
  "401": { isStored: false, status: 401 },
  "403": { isStored: false, status: 403 },
  "408": { isStored: false, status: 408 },
  "413": { isStored: false, status: 413 },
  "413 over 1": { isStored: false, status: 413, acceptsUpTo: 1 },
  "413 over 3": { isStored: false, status: 413, acceptsUpTo: 3 },
  "425": { isStored: false, status: 425 },
  "429 for 60 s": { isStored: false, status: 429, retryAfterMs: 60_000 },
  "500": { isStored: false, status: 500 },
  "500 after storing": { isStored: true, status: 500 },
  "501": { isStored: false, status: 501 },
  "502": { isStored: false, status: 502 },
  "503": { isStored: false, status: 503 },
  "503 for 2 s": { isStored: false, status: 503, retryAfterMs: 2000 },
  "503 for 400 s": { isStored: false, status: 503, retryAfterMs: 400_000 },
  "network error": { isStored: false, status: 0 },
  "answer lost": { isStored: true, status: 0 },
  "hang": { isStored: false },
  "hang after storing": { isStored: true },
};

/** Names of those that leave an undelivered event hope. */
export const TEMPORARY: readonly TreatmentName[] = [
  ...[
    "202",
    "204",
    "408",
    "413 over 1",
    "413 over 3",
    "425",
    "429 for 60 s",
    "500",
    "500 after storing",
    "502",
  ] as const,
  ...["503", "503 for 2 s", "503 for 400 s", "network error", "answer lost", "hang", "hang after storing"] as const,
];

/** Names of those that end in a counted drop, or in the end of sending. */
export const FINAL: readonly TreatmentName[] = ["400", "401", "403", "413", "501"];
