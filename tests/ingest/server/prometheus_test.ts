import { assertEquals } from "@std/assert";
import { createCounter, createGauge, createHistogram } from "../../../src/ingest/server/prometheus.ts";

Deno.test("createCounter() writes a value for each set of labels", () => {
  const counter = createCounter({ name: "events_total", help: "Events.", isLabelled: true });

  counter.add(2, { key: "shop" });
  counter.add(3, { key: "shop" });
  counter.add(1, { key: 'a"b\\c\nd' });

  assertEquals(
    counter.render(),
    '# HELP events_total Events.\n# TYPE events_total counter\nevents_total{key="shop"} 5\nevents_total{key="a\\"b\\\\c\\nd"} 1\n',
  );
});

Deno.test("createCounter() without labels is there from the start", () => {
  const counter = createCounter({ name: "events_total", help: "Events.", isLabelled: false });

  assertEquals(counter.render(), "# HELP events_total Events.\n# TYPE events_total counter\nevents_total 0\n");
});

Deno.test("createGauge() reads its value when it is asked for", () => {
  let value = 1;
  const gauge = createGauge({ name: "pending", help: "Pending.", read: () => value });
  value = 7;

  assertEquals(gauge.render(), "# HELP pending Pending.\n# TYPE pending gauge\npending 7\n");
});

Deno.test("createHistogram() counts upwards, and everything in the last bucket", () => {
  const histogram = createHistogram({ name: "seconds", help: "Time.", bounds: [0.1, 1] });

  [0.0625, 0.1, 0.5, 4].forEach(histogram.observe);

  assertEquals(histogram.render().split("\n").slice(2), [
    'seconds_bucket{le="0.1"} 2',
    'seconds_bucket{le="1"} 3',
    'seconds_bucket{le="+Inf"} 4',
    "seconds_sum 4.6625",
    "seconds_count 4",
    "",
  ]);
});
