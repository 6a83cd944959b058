import { assertEquals } from "@std/assert";
import { type ChannelHints, findChannel, isWaypoint } from "../../../src/ingest/events/channels.ts";

function find(hints: Partial<ChannelHints>): string {
  return findChannel({ referrer: "", source: "", medium: "", campaign: "", ...hints });
}

Deno.test("findChannel() knows a referrer by its host", () => {
  const channels: Readonly<Record<string, readonly string[]>> = {
    "Direct or unknown": [""],
    "AI assistants": ["https://chatgpt.com", "https://gemini.google.com", "https://www.perplexity.ai", "https://x.ai"],
    "Search": [
      ...["https://www.google.com", "https://google.co.uk", "https://www.google.com.br", "https://news.google.com"],
      ...["https://www.bing.com", "https://duckduckgo.com", "https://fr.search.yahoo.com", "https://yandex.com.tr"],
      ...[
        "https://search.brave.com",
        "https://google.com.:8443",
        "android-app://com.google.android.googlequicksearchbox",
      ],
    ],
    "Social": [
      ...["https://t.co", "https://x.com", "https://l.facebook.com", "https://lm.facebook.com", "https://lnkd.in"],
      ...["https://out.reddit.com", "https://www.pinterest.co.uk", "android-app://com.linkedin.android"],
    ],
    "Video": ["https://www.youtube.com", "https://m.youtube.com", "https://youtu.be"],
    "Email": ["https://mail.google.com", "https://mail.yandex.ru", "android-app://com.google.android.gm"],
    "Messages": ["https://web.whatsapp.com", "https://t.me", "https://m.me", "https://chat.google.com"],
    "Other sites": [
      ...["https://forum.example", "https://docs.google.com", "https://google.shop.example", "https://google.buy.com"],
      ...["https://google.com.evil.example", "https://evilgoogle.com", "https://notx.com", "https://netflix.com"],
      ...[
        "https://chatgpt.com.example",
        "https://localhost:8080",
        "https://[::1]:8080",
        "null",
        "https://xn--gogle-0ta.com",
      ],
    ],
  };

  for (const [channel, referrers] of Object.entries(channels)) {
    assertEquals(referrers.map((referrer) => [referrer, find({ referrer })]), referrers.map((one) => [one, channel]));
  }
});

Deno.test("findChannel() goes by the medium, then by the source, then by the referrer", () => {
  const referrer = "https://www.google.com";
  const cases: readonly (readonly [Partial<ChannelHints>, string])[] = [
    [{ source: "google", medium: "cpc" }, "Paid search"],
    [{ source: "Google", medium: "CPC" }, "Paid search"],
    [{ referrer, medium: "ppc" }, "Paid search"],
    [{ source: "facebook", medium: "paid-social" }, "Paid social"],
    [{ source: "youtube", medium: "cpv" }, "Paid social"],
    [{ source: "facebook_ads", medium: "paid_social" }, "Paid social"],
    [{ source: "spring", medium: "paid_social" }, "Paid social"],
    [{ source: "google", medium: "paid_social" }, "Paid social"],
    [{ source: "google_ads", medium: "cpc" }, "Paid search"],
    [{ source: "Bing Ads", medium: " CPC " }, "Paid search"],
    [{ source: "spring", medium: "paidsearch" }, "Paid search"],
    [{ source: "ig-story", medium: "cpc" }, "Paid social"],
    [{ source: " Facebook " }, "Social"],
    [{ source: "newsletter_march" }, "Email"],
    [{ source: "brand-x", medium: "cpc" }, "Display"],
    [{ source: "google.shop.example", medium: "cpc" }, "Display"],
    [{ source: "partner", medium: "cpc" }, "Display"],
    [{ source: "google", medium: "cpm" }, "Display"],
    [{ source: "google", medium: "banner" }, "Display"],
    [{ source: "news", medium: "email" }, "Email"],
    [{ source: "google", medium: "E-Mail" }, "Email"],
    [{ source: "partner", medium: "affiliate" }, "Affiliates"],
    [{ source: "spring", medium: "social" }, "Social"],
    [{ source: "shop", medium: "push" }, "Messages"],
    [{ source: "linkedin", referrer }, "Social"],
    [{ source: "www.linkedin.com", referrer }, "Social"],
    [{ source: "https://chatgpt.com" }, "AI assistants"],
    [{ source: "newsletter" }, "Email"],
    [{ source: "partner", referrer }, "Search"],
    [{ source: "google", medium: "organic" }, "Search"],
    [{ source: "partner" }, "Other campaigns"],
    [{ source: "partner", referrer: "https://forum.example" }, "Other campaigns"],
    [{ medium: "referral" }, "Other campaigns"],
    [{ campaign: "spring" }, "Other campaigns"],
  ];

  assertEquals(cases.map(([hints]) => [hints, find(hints)]), cases.map(([hints, channel]) => [hints, channel]));
});

Deno.test("findChannel() has a channel for whatever a sender makes up", () => {
  const sources = ["constructor", "__proto__", "toString", "hasOwnProperty", ".", "..", "google.", ".google.", " "];

  assertEquals(sources.map((source) => find({ source })), sources.map(() => "Other campaigns"));
  assertEquals(sources.map((medium) => find({ medium })), sources.map(() => "Other campaigns"));
});

Deno.test("findChannel() takes no longer for a text that nearly fits", () => {
  const startedMs = performance.now();

  for (
    const text of ["paid".repeat(128), "-_ ".repeat(170), "a:".repeat(256), "www.".repeat(128), "google.".repeat(73)]
  ) {
    for (let count = 0; count < 100; count++) find({ source: text, medium: text, referrer: text });
  }

  assertEquals(performance.now() - startedMs < 2_000, true);
});

Deno.test("isWaypoint() knows where a visitor pays or signs in, and nobody who looks like it", () => {
  const waypoints = [
    ...["https://paypal.com", "https://www.paypal.com", "https://www.sandbox.paypal.com", "https://PayPal.com:8443"],
    ...["https://checkout.stripe.com", "https://accounts.google.com", "https://shop.okta.com", "https://paypal.com."],
  ];
  const others = [
    ...["", "null", "https://paypal.com.evil.example", "https://evil-paypal.com", "https://notpaypal.com"],
    ...["https://stripe.com", "https://www.google.com", "https://paypal.co", "https://paypal.com.", "com"],
    ...["https://paypal.com@evil.example", "android-app://com.paypal.android"],
  ];

  assertEquals(waypoints.filter((origin) => !isWaypoint(origin)), []);
  assertEquals(others.filter(isWaypoint), ["https://paypal.com."]);
});
