/** Creates the ids of a test: `00000000-0000-4000-8000-000000000001` and so on, valid UUIDs of version 4 (RFC 9562). */
export function createTestIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;
}
