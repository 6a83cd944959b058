import type { Values } from "./read_values.ts";
import { ServerFault } from "./server_fault.ts";

/**
 * Reads a whole number within its bounds.
 *
 * @throws {ServerFault} For anything else.
 */
export function readNumber(
  values: Values,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const text = values.text(name) ?? "";
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw new ServerFault(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`);
}
