import type { StoredEvent } from "../../../events/stored_event.ts";
import { writeEraseCommand } from "../../access/person.ts";
import { readDamaged, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import type { PersonQuery } from "./query.ts";

/** One visitor or user. */
export interface PersonView extends Pick<ViewScope, "site" | "damaged"> {
  /** Which view it is. */
  readonly view: "person";
  /** Whose events they are. */
  readonly of: {
    /** Id of a visitor's browser. */
    readonly anonymousId: string;
  } | {
    /** Id of a user, as the site gave it to `identify()`. */
    readonly userId: string;
  };
  /** Their events on the site, as they are stored, the newest first. */
  readonly events: readonly StoredEvent[];
  /** Command that erases what is stored of them under the key. */
  readonly eraseCommand: string;
}

/** A page that asks whose events are to be shown. */
export interface PersonForm extends Pick<ViewScope, "damaged"> {
  /** Which view it asks for. */
  readonly view: "person";
  /** Nobody yet. */
  readonly of: null;
}

/** Reads the newest events of somebody; where nobody is named, the form that asks for them. */
export async function readPerson(
  { reader }: ViewSource,
  { apiKey, site, person, offset }: ViewRequest & PersonQuery,
  rows: number,
): Promise<PersonView | PersonForm> {
  if (person === undefined) return { view: "person", of: null };
  const events = await reader.person({ apiKey, site, ...person }, rows, { skip: offset });
  const eraseCommand = writeEraseCommand(apiKey, person);
  return { view: "person", site, ...await readDamaged({ reader }), of: person, events, eraseCommand };
}
