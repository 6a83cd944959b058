/** A tea of the shop. */
export interface Tea {
  /** Last segment of its path. */
  readonly slug: string;
  /** Name on the tin. */
  readonly name: string;
  /** Kind it is filtered by. */
  readonly kind: "green" | "oolong" | "black";
  /** Where it grows, and a sentence about it. */
  readonly note: string;
  /** Price of 50 g in euros. */
  readonly price: number;
  /** Colour of the cup. */
  readonly colour: string;
}

/** What the shop sells. */
export const TEAS: readonly Tea[] = [
  {
    slug: "sencha",
    name: "Harbour Sencha",
    kind: "green",
    note: "From Shizuoka. Steamed within the hour of picking; grassy, a little salty, like a pier in May.",
    price: 9.5,
    colour: "#b7b04a",
  },
  {
    slug: "dragon-well",
    name: "Dragon Well",
    kind: "green",
    note: "From Hangzhou. Pan-fired flat leaves that taste of chestnuts and forgive water that is too hot.",
    price: 12,
    colour: "#cdb75a",
  },
  {
    slug: "tieguanyin",
    name: "Iron Goddess",
    kind: "oolong",
    note: "From Anxi. Tightly rolled, opens over seven infusions from orchid to warm bread.",
    price: 14,
    colour: "#c98a3a",
  },
  {
    slug: "da-hong-pao",
    name: "Red Robe",
    kind: "oolong",
    note: "From Wuyi. Roasted over charcoal: wet stone, cocoa and a long, dry finish.",
    price: 18,
    colour: "#a4562a",
  },
  {
    slug: "assam",
    name: "Night Ferry Assam",
    kind: "black",
    note: "From Dibrugarh. Malty and dark, made for milk, weather and the last boat home.",
    price: 7.5,
    colour: "#84331f",
  },
  {
    slug: "keemun",
    name: "Keemun",
    kind: "black",
    note: "From Qimen. Fine black leaves with a trace of smoke and dried plum.",
    price: 11,
    colour: "#9b3f22",
  },
];

/** What the filter on `/teas` offers. */
export const KINDS: readonly Tea["kind"][] = ["green", "oolong", "black"];
