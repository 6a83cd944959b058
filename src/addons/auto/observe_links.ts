import { warnDeveloper } from "../page/page.ts";
import { addressOf, findLink } from "./clicked.ts";
import type { AutoOptions } from "./options.ts";
import type { RecordEvent } from "./observer.ts";
import { readWebAddress } from "./web_address.ts";

/** Endings of files that browsers save, or show in place of a page of the site. */
const ENDINGS: readonly string[] =
  ("7z apk avi csv dmg doc docx epub exe gz ics iso key m4a m4v mkv mov mp3 mp4 mpeg msi numbers odp ods odt ogg pages " +
    "pdf pkg pps ppt pptx rar rtf tar tgz txt wav webm wmv xls xlsx xml xz zip").split(" ");

/** Creates what records the link among the elements of a click. */
export function createLinks(
  { outbound = false, downloads = false }: AutoOptions,
): (elements: readonly Element[], record: RecordEvent) => void {
  const own = outbound ? originsOf(outbound === true ? [] : toList(outbound.ownOrigins ?? [])) : [];
  const given = downloads === true ? ENDINGS : downloads ? toList(downloads.endings ?? ENDINGS) : [];
  const endings = given.map((ending) => `.${`${ending}`.replace(/^\./, "").toLowerCase()}`);

  return (elements, record) => {
    const link = findLink(elements);
    const address = link && readWebAddress(addressOf(link) ?? "", link.baseURI);
    if (!address) return;
    const { origin, path } = address;
    const isFile = endings.some((ending) => ending !== "." && path.toLowerCase().endsWith(ending));
    if (downloads && (link.hasAttribute("download") || isFile)) {
      record("$download", { url: origin + path });
    } else if (outbound && origin !== location.origin && !own.includes(origin)) {
      record("$outbound", { url: origin + path });
    }
  };
}

/** A text alone is a list of one. */
function toList(texts: string | readonly string[]): readonly string[] {
  return [texts].flat();
}

function originsOf(texts: readonly string[]): readonly string[] {
  return texts.map((text) => {
    const origin = readWebAddress(`${text}`)?.origin;
    if (!origin) warnDeveloper(`auto(): ${JSON.stringify(text)} is no origin`);
    return origin ?? "";
  });
}
