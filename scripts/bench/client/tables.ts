import { findMedian, findQuantile } from "../statistics.ts";
import { buildTable } from "../../docs/table.ts";
import { type Figure, LONG_TASK_MS, MEASUREMENTS } from "./measurements.ts";

/** All rounds of an SDK. */
export interface SubjectResult {
  /** Its name. */
  readonly id: string;
  /** Bytes of its bundle, compressed with brotli. */
  readonly brotliBytes: number;
  /** Figures of each round by name, in order of the rounds; NaN where a round gave none. */
  readonly rounds: ReadonlyMap<string, readonly number[]>;
}

/** The SDK that others are compared with, and the floors at batches of 100 and of 50. */
const [OURS, FLOOR, FLOOR_50] = ["ours", "floor", "floor-50"] as const;

/** The part of the rounds that a range leaves out at each end. */
const OUTSIDE = 0.1;

const FIGURES = MEASUREMENTS.flatMap(({ figures }) => figures);
const LONGEST = "longest";
/** Figures that depend on the size of the batches: they are compared at equal ones. */
const AT_EQUAL_BATCHES: readonly string[] = ["sent"];
/** Figures of all SDKs: one without batches can't be compared at 10,000 events. */
const OF_PEERS = FIGURES.filter(({ name }) => name !== "sent" && name !== LONGEST);

/** Returns the table of this SDK, and of the client `before`, beside the floor: a line a figure. */
export function buildFloorTable(results: readonly SubjectResult[]): string {
  const clients = results.filter(({ id }) => [OURS, "before"].includes(id));
  const rows = FIGURES.map((figure) => {
    const isEqual = AT_EQUAL_BATCHES.includes(figure.name);
    const floor = results.find(({ id }) => id === (isEqual ? FLOOR_50 : FLOOR));
    const title = isEqual ? `${figure.title}, in batches of 50` : figure.title;
    const cells = clients.flatMap((client) => [
      format(figure, valuesOf(client, figure)),
      figure.name === LONGEST ? "" : formatRatios(valuesOf(client, figure), floor ? valuesOf(floor, figure) : []),
    ]);
    return [title, floor ? format(figure, valuesOf(floor, figure)) : "", ...cells];
  });
  const size = ["bundle, bytes (brotli)", sizeOf(FLOOR), ...clients.flatMap(({ id }) => [sizeOf(id), ""])];
  return buildTable([["", "floor", ...clients.flatMap(({ id }) => [id, "times the floor"])], ...rows, size]);

  function sizeOf(id: string): string {
    return formatNumber(results.find((result) => result.id === id)?.brotliBytes ?? NaN, 0);
  }
}

/** Returns the table of all SDKs: a line an SDK. */
export function buildPeersTable(results: readonly SubjectResult[]): string {
  const rows = results.map((result) => [
    result.id,
    formatNumber(result.brotliBytes / 1000, 2),
    ...OF_PEERS.map((figure) => format(figure, valuesOf(result, figure))),
  ]);
  return buildTable([["", "bundle, kB (brotli)", ...OF_PEERS.map(({ title }) => title)], ...rows]);
}

function valuesOf({ rounds }: SubjectResult, { name }: Figure): readonly number[] {
  return rounds.get(name) ?? [];
}

/** A median, and in brackets where eight of ten rounds lie. */
function format({ name, digits = 0 }: Figure, values: readonly number[]): string {
  const there = values.filter(isNumber);
  if (!there.length) return "";
  if (name === LONGEST && Math.max(...there) < LONG_TASK_MS) return `none over ${LONG_TASK_MS}`;
  const show = (value: number): string => formatNumber(value, digits);
  return `${show(findMedian(there))} (${show(findQuantile(there, OUTSIDE))} to ${
    show(findQuantile(there, 1 - OUTSIDE))
  })`;
}

/** The ratio of the medians, and in brackets where the ratios of eight of ten rounds lie. */
function formatRatios(values: readonly number[], floors: readonly number[]): string {
  const ratios = values.map((value, round) => value / (floors[round] ?? NaN)).filter(isNumber);
  if (!ratios.length) return "";
  const ratio = findMedian(values.filter(isNumber)) / findMedian(floors.filter(isNumber));
  const [low, high] = [findQuantile(ratios, OUTSIDE), findQuantile(ratios, 1 - OUTSIDE)];
  return `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

function isNumber(value: number): boolean {
  return !Number.isNaN(value);
}

function formatNumber(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
