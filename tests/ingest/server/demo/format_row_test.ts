import { assertEquals } from "@std/assert";
import { formatRow } from "../../../../src/ingest/server/demo/format_row.ts";

const AT = "2026-01-01T12:00:00.000Z";
const TIME = new Date(AT).toLocaleTimeString("en-GB");

Deno.test("formatRow() shows who did what where", () => {
  const line = formatRow({
    kind: "accepted",
    at: AT,
    event: {
      id: "1",
      name: "basket_add",
      collection: "full",
      timestamp: AT,
      receivedAt: AT,
      sessionId: "5e5510c1-0000-4000-8000-000000000000",
      identity: { userId: "ada", anonymousId: "a0a0a0a0-0000-4000-8000-000000000000" },
      context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: "https://tidewater.example/teas?kind=green" },
    },
  });

  assertEquals(line, `${TIME}  full       basket_add            ada         a0a0a0a0  5e5510c1  /teas?kind=green`);
});

Deno.test("formatRow() shows repeats and refusals", () => {
  assertEquals(formatRow({ kind: "duplicates", at: AT, count: 2 }), `${TIME}  duplicate  2 known already`);
  assertEquals(
    formatRow({ kind: "refused", at: AT, status: 401, code: "unknown_key", message: "who are you" }),
    `${TIME}  refused    401 unknown_key: who are you`,
  );
});

Deno.test("formatRow() keeps a page's control characters from the terminal", () => {
  const line = formatRow({
    kind: "accepted",
    at: AT,
    event: { id: "1", name: "\u001b[2Jgone\n\u202e", collection: "aggregate", timestamp: AT, receivedAt: AT },
  });

  assertEquals(line, `${TIME}  aggregate  �[2Jgone��            -           -         -         -`);
});
