import { startIngest } from "../browser/ingest_server.ts";
import { prepareApplication } from "./driver/application.ts";
import { checkDecline } from "./driver/decline_check.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { takeWalk } from "./driver/take_walk.ts";

/** Each link loads a document; going back takes it from the back/forward cache. */
const DOCUMENTS = [
  "/?utm_source=mail",
  "/teas?sort=price",
  "/teas/sencha",
  "/about",
  "/old-brewing",
  "/brewing",
  "/brewing",
] as const;

/**
 * A load has the referrer of its document, which has no fragment; so has one that is repeated, and one that comes from
 * the back/forward cache.
 */
const differences = {
  "follows a link to a page made from its data": { referrer: "/teas?sort=name" },
  "accepts, if asked": { referrer: "/teas?sort=name" },
  "goes back": { referrer: "/teas?sort=name" },
  "reloads": { referrer: "/teas/sencha" },
} as const;

Deno.test("a site of documents with a plain script tag counts each view once", async (t) => {
  const { directory } = await prepareApplication("script_tag");
  const installed = `${directory}/node_modules/@vendor/sdk`;
  const { unpkg } = JSON.parse(await Deno.readTextFile(`${installed}/package.json`));
  await Deno.copyFile(`${installed}/${unpkg}`, `${directory}/public/vendor.global.js`);
  await Deno.copyFile(`${installed}/vendor.consent.global.js`, `${directory}/public/vendor.consent.global.js`);
  const site = serveDirectory(`${directory}/public`, { redirects: { "/old-brewing": "/brewing" } });
  const ingest = await startIngest([site.origin]);
  const options = { site: site.origin, ingest, differences, documents: DOCUMENTS };
  try {
    await t.step("a walk with consent gives full pageviews", () => takeWalk({ ...options, mode: "granted" }));
    await t.step(
      "a walk from pending to granted gives aggregates, then full pageviews",
      () => takeWalk({ ...options, mode: "auto" }),
    );
    await t.step(
      "a visitor who declines isn't counted, and isn't asked again",
      () => checkDecline({ url: `${site.origin}/teas`, ingest }),
    );
  } finally {
    await Promise.all([site.close(), ingest.close()]);
  }
});
