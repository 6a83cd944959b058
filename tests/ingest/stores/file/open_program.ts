// Opens files of events, as a process of its own, and prints what that said.
import { openEventFiles } from "../../../../src/ingest/stores/file/event_files.ts";

await openEventFiles({ files: [], temporaryFolder: "." }).then(
  ({ reader }) => reader.close().then(() => console.log("opened")),
  (error) => console.log(error.message),
);
