/**
 * Which channel a visit came by: the table that the reports group sources by.
 *
 * @module
 */

/** The origin of a visit, as far as it is known. */
export interface ChannelHints {
  /** Origin of the referring page; empty for none. */
  readonly referrer: string;
  /** `utm_source`; empty for none. */
  readonly source: string;
  /** `utm_medium`; empty for none. */
  readonly medium: string;
  /** `utm_campaign`; empty for none. */
  readonly campaign: string;
}

/** The channels, in the words of the reports. */
export type Channel =
  | "Direct or unknown"
  | "AI assistants"
  | "Search"
  | "Paid search"
  | "Social"
  | "Paid social"
  | "Video"
  | "Email"
  | "Display"
  | "Affiliates"
  | "Messages"
  | "Other sites"
  | "Other campaigns"
  | typeof MIDWAY_CHANNEL
  | typeof UNTOLD_CHANNEL;

/**
 * Most sources of a range whose channels are told: those of the most events, and of equally many the first by their texts.
 * Two sources differ by referrer, source and medium, and by whether they have a campaign. There is a limit because whoever
 * has the publishable key can make up sources without end.
 */
export const MAX_TOLD_SOURCES = 10_000;

/** The channel of sessions whose events all came from pages of the site itself: where their visitors came from isn't known. */
export const MIDWAY_CHANNEL = "Joined midway" as const;

/** The channel of the sources beyond these. */
export const UNTOLD_CHANNEL = "Other" as const;

type Family = "AI assistants" | "Search" | "Social" | "Video" | "Email" | "Messages";

/**
 * Names of hosts, without `www.`; one stands for its subdomains as well, and `google.` for every country's. Where a host is
 * of two families, it's of the first.
 */
const HOSTS: Readonly<Record<Family, readonly string[]>> = {
  "AI assistants": [
    ...["chatgpt.com", "chat.openai.com", "openai.com", "perplexity.ai", "claude.ai", "gemini.google.com"],
    ...[
      "bard.google.com",
      "copilot.microsoft.com",
      "copilot.com",
      "chat.mistral.ai",
      "chat.deepseek.com",
      "deepseek.com",
    ],
    ...["grok.com", "x.ai", "meta.ai", "poe.com", "you.com", "phind.com", "kimi.com", "chat.qwen.ai", "duck.ai"],
  ],
  "Email": [
    ...["mail.google.com", "outlook.live.com", "outlook.office.com", "outlook.office365.com", "mail.yahoo.com"],
    ...[
      "mail.proton.me",
      "app.fastmail.com",
      "mail.zoho.com",
      "e.mail.ru",
      "mail.aol.com",
      "webmail.gmx.net",
      "gmx.net",
    ],
    ...["web.de", "mail.yandex.", "com.google.android.gm"],
  ],
  "Messages": [
    ...["web.whatsapp.com", "whatsapp.com", "wa.me", "t.me", "web.telegram.org", "telegram.org", "discord.com"],
    ...["slack.com", "teams.microsoft.com", "messenger.com", "signal.org", "line.me", "org.telegram.messenger"],
    ...["chat.google.com", "m.me", "com.slack"],
  ],
  "Search": [
    ...["google.", "bing.com", "duckduckgo.com", "yahoo.", "yandex.", "ya.ru", "baidu.com", "ecosia.org", "qwant.com"],
    ...["startpage.com", "search.brave.com", "kagi.com", "naver.com", "seznam.cz", "mojeek.com", "sogou.com", "so.com"],
    ...["swisscows.com", "ask.com", "search.aol.com", "daum.net", "metager.org", "metager.de", "search.marginalia.nu"],
    ...["com.google.android.googlequicksearchbox"],
  ],
  "Social": [
    ...["facebook.com", "fb.com", "instagram.com", "threads.net", "threads.com", "twitter.com", "x.com", "t.co"],
    ...["linkedin.com", "lnkd.in", "com.linkedin.android", "reddit.com", "out.reddit.com", "pinterest.", "tumblr.com"],
    ...[
      "tiktok.com",
      "snapchat.com",
      "bsky.app",
      "go.bsky.app",
      "mastodon.social",
      "mastodon.online",
      "vk.com",
      "ok.ru",
    ],
    ...["weibo.com", "xing.com", "quora.com", "news.ycombinator.com", "lobste.rs", "medium.com", "producthunt.com"],
    ...["stackoverflow.com", "dev.to", "com.facebook.katana", "nextdoor.com"],
  ],
  "Video": ["youtube.com", "youtu.be", "vimeo.com", "twitch.tv", "dailymotion.com", "bilibili.com", "nicovideo.jp"],
};

/** Hosts named like a search engine that aren't one: who follows a link in a document hasn't searched. */
const OTHERS: readonly string[] = [
  ...["docs.google.com", "drive.google.com", "sites.google.com", "groups.google.com", "calendar.google.com"],
  ...["meet.google.com", "classroom.google.com", "translate.google.com", "disk.yandex.", "translate.yandex."],
];

/** Words of `utm_source` that name a family, where no host does. */
const SOURCES: ReadonlyMap<string, Family> = new Map(Object.entries<Family>({
  "chatgpt": "AI assistants",
  "perplexity": "AI assistants",
  "claude": "AI assistants",
  "gemini": "AI assistants",
  "copilot": "AI assistants",
  "google": "Search",
  "bing": "Search",
  "duckduckgo": "Search",
  "ecosia": "Search",
  "yahoo": "Search",
  "yandex": "Search",
  "baidu": "Search",
  "facebook": "Social",
  "fb": "Social",
  "meta": "Social",
  "instagram": "Social",
  "ig": "Social",
  "linkedin": "Social",
  "twitter": "Social",
  "x": "Social",
  "reddit": "Social",
  "tiktok": "Social",
  "pinterest": "Social",
  "threads": "Social",
  "bluesky": "Social",
  "mastodon": "Social",
  "youtube": "Video",
  "vimeo": "Video",
  "newsletter": "Email",
  "email": "Email",
  "mailchimp": "Email",
  "whatsapp": "Messages",
  "telegram": "Messages",
  "slack": "Messages",
}));

/** Names of hosts that are looked up, by whatever they stand for. */
interface HostTable<T> {
  /** Of a whole name, or one that stands for its subdomains. */
  readonly whole: ReadonlyMap<string, T>;
  /** Of a name that every country has its own of: `google.`. */
  readonly open: readonly (readonly [name: string, of: T])[];
}

function buildTable<T>(names: readonly (readonly [name: string, of: T])[]): HostTable<T> {
  return {
    // The first of two stays.
    whole: new Map(names.filter(([name]) => !name.endsWith(".")).toReversed()),
    open: names.filter(([name]) => name.endsWith(".")),
  };
}

const FAMILIES = Object.keys(HOSTS) as readonly Family[];

const FAMILY_HOSTS: HostTable<Family> = buildTable(
  FAMILIES.flatMap((family) => HOSTS[family].map((name) => [name, family] as const)),
);

const OTHER_HOSTS: HostTable<true> = buildTable(OTHERS.map((name) => [name, true] as const));

const PAID = /^(cpc|ppc|cpv|cpa|paid.*|.*[-_ ]paid|retargeting|remarketing)$/;

const EMAIL = /^(e[-_ ]?mail|newsletter|mail)$/;

const DISPLAY = /^(display|banner|banners|interstitial|expandable|cpm|programmatic)$/;

const AFFILIATE = /^(affiliates?|partners?)$/;

const SOCIAL = /^(social|social[-_ ](network|media)|sm|organic[-_ ]social)$/;

const MESSAGE = /^(sms|push|web[-_ ]?push|mobile|notification|in[-_ ]?app|chat)$/;

/** Words of a paid medium that say of which kind it is, whatever the source. */
const [PAID_SOCIAL, PAID_SEARCH] = [/social|video/, /search/] as const;

/** Returns the channel of a visit: its medium says more than its source, and its source more than its referrer. */
export function findChannel({ referrer, source, medium, campaign }: ChannelHints): Channel {
  const name = source.trim().toLowerCase();
  const family = SOURCES.get(name) ?? findFamily(toHost(name)) ?? findNamed(name) ?? findFamily(toHost(referrer));
  const way = medium.trim().toLowerCase();
  if (DISPLAY.test(way)) return "Display";
  if (PAID.test(way)) {
    if (PAID_SOCIAL.test(way)) return "Paid social";
    if (family === "Search" || PAID_SEARCH.test(way)) return "Paid search";
    return family === "Social" || family === "Video" ? "Paid social" : "Display";
  }
  if (AFFILIATE.test(way)) return "Affiliates";
  if (EMAIL.test(way)) return "Email";
  if (SOCIAL.test(way)) return "Social";
  if (MESSAGE.test(way)) return "Messages";
  if (family !== undefined) return family;
  if (source !== "" || medium !== "" || campaign !== "") return "Other campaigns";
  return referrer === "" ? "Direct or unknown" : "Other sites";
}

/** Hosts that a visitor is sent to and comes back from: to pay, or to sign in. They are no sources. */
const WAYPOINTS: readonly string[] = [
  ...["paypal.com", "paypalobjects.com", "checkout.stripe.com", "hooks.stripe.com", "buy.stripe.com", "klarna.com"],
  ...["pay.google.com", "payments.amazon.com", "secure.worldpay.com", "adyen.com", "mollie.com", "sofort.com"],
  ...["3dsecure.io", "cardinalcommerce.com", "arcot.com", "squareup.com", "checkout.com", "paddle.com", "afterpay.com"],
  ...["alipay.com", "razorpay.com", "accounts.google.com", "appleid.apple.com", "login.microsoftonline.com"],
  ...["login.live.com", "auth0.com", "okta.com", "onelogin.com", "clerk.accounts.dev", "accounts.shopify.com"],
];

const WAYPOINT_HOSTS: HostTable<true> = buildTable(WAYPOINTS.map((name) => [name, true] as const));

/** Returns whether an origin is one that a visitor was sent to, and comes back from. */
export function isWaypoint(origin: string): boolean {
  if (origin === "") return false; // as of most events
  return findAll(toHost(origin), WAYPOINT_HOSTS).length > 0;
}

/** Returns the family that a word within a source names, as in `google_ads`. One letter names nothing. */
function findNamed(source: string): Family | undefined {
  // A host, which isn't known, has the names of others in it: x.shop.example.
  if (source.includes(".")) return undefined;
  const words = source.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  return words.map((word) => SOURCES.get(word)).find((family) => family !== undefined);
}

function findFamily(host: string): Family | undefined {
  if (host === "" || findAll(host, OTHER_HOSTS).length > 0) return undefined;
  const found = findAll(host, FAMILY_HOSTS);
  return FAMILIES.find((family) => found.includes(family));
}

/** Returns what the names stand for that a host is, or is a subdomain of. */
function findAll<T>(host: string, { whole, open }: HostTable<T>): readonly T[] {
  const found = open.flatMap(([name, of]) => isOfCountry(host, name) ? [of] : []);
  for (let at = 0; at >= 0; at = host.indexOf(".", at) + 1 || -1) {
    const of = whole.get(host.slice(at));
    if (of !== undefined) found.push(of);
  }
  return found;
}

/** Endings of a host that has one for each country. */
const COUNTRY = /^(com?\.)?[a-z]{2,3}$/;

function isOfCountry(host: string, name: string): boolean {
  // `google.` is google.com and google.co.uk, also behind `news.`, and neither google.shop.example nor google.buy.com.
  const at = host.startsWith(name) ? 0 : host.indexOf(`.${name}`) + 1;
  return (at > 0 || host.startsWith(name)) && COUNTRY.test(host.slice(at + name.length));
}

/** Returns the host of an origin, without what stands for itself in front: `m.youtube.com` is another `youtube.com`. */
function toHost(origin: string): string {
  const host = origin.toLowerCase().replace(/^[^:]*:\/\//, "").replace(/:\d+$/, "").replace(/\.$/, "");
  return host.replace(/^(www|m|l|lm)\.(?=.*\.)/, "");
}
