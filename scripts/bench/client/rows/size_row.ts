import type { Row } from "../row.ts";

/** Size of what a page loads at once, minified and compressed. */
export const SIZE_ROW: Row = {
  id: "size",
  columns: [{ figure: "size", title: "bundle, kB brotli", reference: "ours", digits: 2 }],
  isFor: ({ id }) => id !== "no-op",
  measure: ({ bundle }) => Promise.resolve({ size: bundle.brotliBytes / 1000 }),
};
