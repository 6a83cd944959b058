/** The part of `next/headers` that the README uses. */
export function cookies(): Promise<{
  get(name: string): { readonly name: string; readonly value: string } | undefined;
}>;
