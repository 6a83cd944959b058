// Opens a folder of events, as a process of its own, and prints what that said.
import { createFileReader } from "../../../../src/ingest/stores/file/file_reader.ts";

const reader = createFileReader({ path: Deno.args[0] ?? "" });
await reader.sites("pk_test_1").then(() => console.log("opened"), (error) => console.log(error.message));
await reader.close();
