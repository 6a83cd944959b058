import { assertEquals } from "@std/assert";
import { maskMailAndTokens, type RuledEvent } from "../../../src/addons/rules/mod.ts";

const EVENT: RuledEvent = { kind: "step", name: "a", url: "https://shop.example/", referrer: "", title: "" };
const JWT = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.";
const UUID = "550e8400-e29b-41d4-a716-446655440000";
const mask = maskMailAndTokens();

const TEXTS: Readonly<Record<string, string>> = {
  "Account of ann@mail.example - Shop": "Account of [mail] - Shop",
  "a@b.de": "[mail]",
  "<ann+tag@mail.example>,o'brien@mail.example;": "<[mail]>,[mail];",
  "mailto:jörg@müller.de": "mailto:[mail]",
  "@ann@social.example": "[mail]",
  "/img/logo@2x.png": "/img/logo@2x.png",
  "ann@2x.example ann@2x.png.example": "[mail] [mail]",
  "Tea at 3 @ the.shop, @scope, sdk@0.1.0, ann@home": "Tea at 3 @ the.shop, @scope, sdk@0.1.0, ann@home",
  [`Bearer ${JWT}`]: "Bearer [token]",
  "key_9f86d081884c7d659a2f": "[token]",
  "key=ghp_16C7e42F292c6912E7710c838347Ae178B4a!": "key=[token]",
  "d41d8cd98f00b204e9800998ecf8427e": "[token]",
  "a1b2c3d4e5f6a7b8c9d0": "[token]",
  "a1b2c3d4e5f6a7b8c9d": "a1b2c3d4e5f6a7b8c9d",
  [UUID]: UUID,
  [`order_${UUID}`]: `order_${UUID}`,
  "How-to-brew-Oolong-Tea-in-2026-and-other-stories": "How-to-brew-Oolong-Tea-in-2026-and-other-stories",
  "iphone-15-pro-max-256gb-titanium": "iphone-15-pro-max-256gb-titanium",
  "internationalizationOfEverything 12345678901234567890": "internationalizationOfEverything 12345678901234567890",
  "2026-11-25T06:40:54.123Z": "2026-11-25T06:40:54.123Z",
};

for (const [text, expected] of Object.entries(TEXTS)) {
  Deno.test(`maskMailAndTokens() makes ${JSON.stringify(expected)} of ${JSON.stringify(text)}, wherever it is`, () => {
    const properties = { list: [{ text: `\n${text}\t` }, 7, null], [text]: true };
    const masked = mask({ ...EVENT, name: text, title: text, properties, traits: { text, plan: "pro" } });

    assertEquals(masked, {
      ...EVENT,
      name: expected,
      title: expected,
      properties: { list: [{ text: `\n${expected}\t` }, 7, null], [expected]: true },
      traits: { text: expected, plan: "pro" },
    });
  });
}

const URLS: Readonly<Record<string, string>> = {
  "https://shop.example/invite/ann@mail.example?to=ann%40mail.example&n=1":
    "https://shop.example/invite/[mail]?to=[mail]&n=1",
  "https://shop.example/?to=ann%2Btag%2540mail.example#/users/ann%40mail.example":
    "https://shop.example/?to=[mail]#/users/[mail]",
  "https://shop.example/?to=ann%40mail%2Eexample&cc=ann@m%61il.example&from=%61%6E%6E%2540mail%252eexample":
    "https://shop.example/?to=[mail]&cc=[mail]&from=[mail]",
  "https://shop.example/?q=%5Bann%40mail.example%5D%2C%60tea%60": "https://shop.example/?q=%5B[mail]%5D%2C%60tea%60",
  "https://shop.example/?token=%61%31b2c3d4e5f6a7b8c9d0": "https://shop.example/?token=[token]",
  "https://shop.example/%67reen%2Dtea%2Dfor%2D2%2Dpeople": "https://shop.example/%67reen%2Dtea%2Dfor%2D2%2Dpeople",
  "https://shop.example/?next=https%3A%2F%2Fshop.example%2F%3Ftoken%3Da1b2c3d4e5f6a7b8c9d0%26a%3D1":
    "https://shop.example/?next=https%3A%2F%2Fshop.example%2F%3Ftoken%3D[token]%26a%3D1",
  [`https://shop.example/#access_token=${JWT}`]: "https://shop.example/#access_token=[token]",
  "https://shop-a1b2c3d4e5f6a7b8c9d0.preview.example/teas": "https://shop-a1b2c3d4e5f6a7b8c9d0.preview.example/teas",
  "https://shop.example/%D1%87%D0%B0%D0%B9-%D1%83%D0%BB%D1%83%D0%BD-%D0%BA%D1%83%D0%BF%D0%B8%D1%82%D1%8C":
    "https://shop.example/%D1%87%D0%B0%D0%B9-%D1%83%D0%BB%D1%83%D0%BD-%D0%BA%D1%83%D0%BF%D0%B8%D1%82%D1%8C",
  "": "",
};

for (const [url, expected] of Object.entries(URLS)) {
  Deno.test(`maskMailAndTokens() makes ${JSON.stringify(expected)} of the URL and the referrer`, () => {
    const masked = mask({ ...EVENT, url, referrer: url });

    assertEquals([masked?.url, masked?.referrer], [expected, expected]);
  });
}

Deno.test("maskMailAndTokens() changes no object of the rule before it", () => {
  const properties = { to: "ann@mail.example" };
  mask({ ...EVENT, properties });

  assertEquals(properties, { to: "ann@mail.example" });
});
