/**
 * The shop whose year is made up: its pages, where its visitors come from and what they do.
 *
 * @module
 */

/** Origin of the shop. */
export const SHOP_ORIGIN = "https://shop.example";

const TEAS = [
  "sencha",
  "assam",
  "oolong",
  "darjeeling",
  "matcha",
  "rooibos",
  "earl-grey",
  "gunpowder",
  "pu-erh",
  "chai",
];

const FORMS = [
  "loose",
  "bags",
  "sampler",
  "gift",
  "refill",
  "bulk",
  "organic",
  "decaf",
  "cold-brew",
  "blend",
  "first-flush",
  "roasted",
];

const TOPICS = ["brewing", "history", "health", "harvest", "recipes", "teaware", "water", "caffeine"];

const products = TEAS.flatMap((tea) => FORMS.map((form) => `/teas/${tea}-${form}`));

const articles = TOPICS.flatMap((topic) => Array.from({ length: 20 }, (_, index) => `/journal/${topic}-${index + 1}`));

/** Paths, the most viewed first: 292 of them. */
export const PATHS: readonly [string, ...string[]] = [
  "/",
  "/teas",
  "/teas/sencha-loose",
  "/offers",
  "/cart",
  "/journal",
  "/checkout",
  "/about",
  "/account",
  "/shipping",
  "/caf%C3%A9",
  "/impressum",
  ...products,
  ...articles,
];

/** Referring pages, the most frequent first. */
export const REFERRERS: readonly [string, ...string[]] = [
  "https://www.google.com/",
  "https://duckduckgo.com/",
  "https://news.ycombinator.com/item?id=1",
  "https://www.instagram.com/",
  "https://www.bing.com/search?q=tea",
  "https://t.co/x",
  "https://www.reddit.com/r/tea/",
  "https://mail.example.org/",
  "android-app://com.google.android.gm/",
  "https://www.ecosia.org/search?q=sencha",
  ...Array.from({ length: 40 }, (_, index) => `https://blog-${index + 1}.example/tea`),
];

/** Names of steps, those of `./auto` among them, the most frequent first. */
export const STEPS: readonly [string, ...string[]] = [
  "tea_viewed",
  "$engagement",
  "add_to_cart",
  "search",
  "$outbound",
  "filter_applied",
  "checkout_started",
  "review_read",
  "$download",
  "newsletter_opened",
  "order_placed",
  "wishlist_added",
  "coupon_applied",
  "video_played",
  "share_clicked",
  "sign_in",
  "sign_up",
  "support_opened",
  "$form",
];
