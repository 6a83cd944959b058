/** The body of an answer of the ingest. */
interface AnswerText {
  readonly error?: { readonly message?: unknown };
  readonly duplicates?: unknown;
  readonly refused?: unknown;
}

/** Puts the body of an answer into words; empty where it says nothing. */
export function describeAnswer(text: string): string {
  try {
    const { error, duplicates, refused }: AnswerText = JSON.parse(text);
    if (typeof error?.message === "string") return error.message;
    const counts = [
      Number(duplicates) > 0 ? `${duplicates} of the request known already` : "",
      Number(refused) > 0 ? `${refused} of the request off the plan, not stored` : "",
    ];
    return counts.filter((count) => count).join(", ");
  } catch {
    return ""; // no JSON: a proxy's page
  }
}
