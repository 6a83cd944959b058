/** A tea of the shop. */
export interface Tea {
  /** Name on the tin. */
  readonly name: string;
  /** Kind it is filtered by. */
  readonly kind: "green" | "oolong" | "black";
  /** Price of 50 g in euros. */
  readonly price: number;
  /** Colour of the cup. */
  readonly colour: string;
  /** A sentence about it. */
  readonly note: string;
}

/** Wares of the shop. */
export const TEAS: readonly Tea[] = [
  { name: "Sencha", kind: "green", price: 9.5, colour: "#b7b04a", note: "Grassy, a little salty, like a pier in May." },
  { name: "Longjing", kind: "green", price: 12, colour: "#cdb75a", note: "Chestnuts, and patience with hot water." },
  { name: "Tieguanyin", kind: "oolong", price: 14, colour: "#c98a3a", note: "Seven infusions, from orchid to bread." },
  { name: "Da Hong Pao", kind: "oolong", price: 18, colour: "#a4562a", note: "Wet stone, cocoa, a long dry finish." },
  { name: "Assam", kind: "black", price: 7.5, colour: "#84331f", note: "Malty and dark, made for the last boat home." },
  {
    name: "Keemun",
    kind: "black",
    price: 11,
    colour: "#9b3f22",
    note: "Fine leaves, a trace of smoke and dried plum.",
  },
];

/** Choices of the filter on `/teas`. */
export const KINDS: readonly Tea["kind"][] = ["green", "oolong", "black"];

/** Returns the last segment of a tea's path. */
export function slugOf({ name }: Tea): string {
  return name.toLowerCase().replaceAll(" ", "-");
}
