import { assertEquals } from "@std/assert";
import { html } from "../../../../src/ingest/reports/page/html.ts";

Deno.test("html escapes what is put in", () => {
  const hostile = `<script>alert("1")</script>&'`;

  assertEquals(
    html`<p title="${hostile}">${hostile}</p>`.markup,
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;">' +
      "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;</p>",
  );
});

Deno.test("html takes other templates as they are, and leaves nothing of what is missing", () => {
  const items = [html`<li>${"<"}</li>`, html`<li>${2}</li>`];

  assertEquals(html`<ul>${items}</ul>${undefined}${false}${0}${[]}`.markup, "<ul><li>&lt;</li><li>2</li></ul>0");
});
