import { assertEquals, assertThrows } from "@std/assert";
import { formatLimit, updateLimits } from "../../scripts/docs/limits.ts";

Deno.test("formatLimit() writes a limit as people read it", () => {
  assertEquals(formatLimit("WAIT_MS", 750), "750 ms");
  assertEquals(formatLimit("WAIT_MS", 1000), "1 second");
  assertEquals(formatLimit("WAIT_MS", 90_000), "90 seconds");
  assertEquals(formatLimit("WAIT_MS", 1_200_000), "20 minutes");
  assertEquals(formatLimit("WAIT_MS", 604_800_000), "7 days");
  assertEquals(formatLimit("MAX_BODY_BYTES", 60_000), "60,000 bytes");
  assertEquals(formatLimit("MAX_BODY_BYTES", 8192), "8 KiB");
  assertEquals(formatLimit("MAX_EVENTS", 20_000), "20,000");
});

Deno.test("updateLimits() refuses a limit that is none", () => {
  assertThrows(() => updateLimits("<!-- MAX_PATIENCE_MS -->1 day"), Error, "MAX_PATIENCE_MS");
});
