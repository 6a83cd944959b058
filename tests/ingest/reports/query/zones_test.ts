import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  createZone,
  formatClock,
  listHours,
  startOfDay,
  toZoneDay,
  type Zone,
} from "../../../../src/ingest/reports/query/zones.ts";

function zoneOf(name: string): Zone {
  const zone = createZone(name);
  if (zone === undefined) throw new Error(`there is no zone ${name}`);
  return zone;
}

const startIn = (name: string, day: string): string => new Date(startOfDay(zoneOf(name), day)).toISOString();

Deno.test("createZone() knows the zones of the runtime alone", () => {
  const names = ["UTC", "Europe/Berlin", "Nowhere/Land", "", "berlin", "<b>", "Europe/Berlin\u0000"];

  assertEquals(names.map((name) => createZone(name)?.name), ["UTC", "Europe/Berlin", ...Array(5).fill(undefined)]);
});

Deno.test("startOfDay() finds when a day begins on the clocks of a zone", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["UTC", "2026-03-29", "2026-03-29T00:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z"],
    ["Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00.000Z"],
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z"],
    ["Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00.000Z"],
    ["America/New_York", "2026-03-08", "2026-03-08T05:00:00.000Z"],
    ["America/New_York", "2026-03-09", "2026-03-09T04:00:00.000Z"],
    ["Asia/Kolkata", "2026-06-01", "2026-05-31T18:30:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-06", "2026-04-05T13:30:00.000Z"],
    // The clocks went from 23:59 to 01:00: the day began at one.
    ["America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z"],
    // Samoa left a day out.
    ["Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00.000Z"],
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"],
    ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00.000Z"],
  ];

  for (const [name, day, start] of cases) assertEquals([name, day, startIn(name, day)], [name, day, start]);
});

Deno.test("listHours() begins an hour whenever clocks show a whole one, and where they were changed", () => {
  const hoursOf = (name: string, from: string, to: string): readonly string[] => {
    const zone = zoneOf(name);
    return listHours(zone, startOfDay(zone, from), startOfDay(zone, to)).map((moment) => formatClock(zone, moment));
  };

  assertEquals(hoursOf("Europe/Berlin", "2026-03-29", "2026-03-30").slice(0, 4), ["00:00", "01:00", "03:00", "04:00"]);
  assertEquals(hoursOf("Europe/Berlin", "2026-10-25", "2026-10-26").slice(1, 5), ["01:00", "02:00", "02:00", "03:00"]);
  assertEquals(hoursOf("Asia/Kolkata", "2026-06-01", "2026-06-02").length, 24);
  assertEquals(hoursOf("Australia/Lord_Howe", "2026-04-05", "2026-04-06").slice(0, 4), [
    "00:00",
    "01:00",
    "01:30",
    "02:00",
  ]);
  assertEquals(hoursOf("Australia/Lord_Howe", "2026-10-04", "2026-10-05").slice(1, 4), ["01:00", "02:30", "03:00"]);
});

Deno.test("a moment is in the day that begins last before it, in any zone", () => {
  const zones = [
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Pacific/Apia",
    "Australia/Lord_Howe",
    "Africa/Cairo",
  ]
    .map(zoneOf);
  const moment = fc.integer({ min: Date.parse("1995-01-01"), max: Date.parse("2035-01-01") });

  fc.assert(
    fc.property(fc.constantFrom(...zones), moment, (zone, momentMs) => {
      const day = toZoneDay(zone, momentMs);
      const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, day.length);
      assertEquals([startOfDay(zone, day) <= momentMs, momentMs < startOfDay(zone, next)], [true, true]);
      assertEquals(toZoneDay(zone, startOfDay(zone, day)), day);
    }),
    { numRuns: 500 },
  );
});
