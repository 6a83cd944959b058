import type { Row } from "./row.ts";
import { createBurstRow } from "./rows/burst_row.ts";
import { COLD_ROW } from "./rows/cold_row.ts";
import { GROWTH_ROW } from "./rows/growth_row.ts";
import { HANDLERS_ROW } from "./rows/handlers_row.ts";
import { INIT_ROW } from "./rows/init_row.ts";
import { LEAVE_ROW } from "./rows/leave_row.ts";
import { MEMORY_ROW } from "./rows/memory_row.ts";
import { SIZE_ROW } from "./rows/size_row.ts";
import { createStepRow } from "./rows/step_row.ts";
import { STORAGE_ROW } from "./rows/storage_row.ts";

/** Everything that is measured. */
export const ROWS: readonly Row[] = [
  SIZE_ROW,
  COLD_ROW,
  INIT_ROW,
  STORAGE_ROW,
  createStepRow(1000),
  createStepRow(10_000),
  createBurstRow(1000, true),
  createBurstRow(10_000, false),
  MEMORY_ROW,
  LEAVE_ROW,
  GROWTH_ROW,
  HANDLERS_ROW,
];
