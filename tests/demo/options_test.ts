import { assertEquals } from "@std/assert";
import { parseOptions } from "../../scripts/demo/options.ts";

Deno.test("parseOptions() has a default for every option", () => {
  assertEquals(parseOptions([]), {
    isValid: true,
    options: { isOnce: false, isHelp: false, port: 4400, ingestPort: 4401 },
  });
});

Deno.test("parseOptions() takes values after a space and after an equals sign", () => {
  assertEquals(parseOptions(["--port", "8080", "--ingest-port=8081", "--db=a=b.db"]), {
    isValid: true,
    options: { isOnce: false, isHelp: false, port: 8080, ingestPort: 8081, dbPath: "a=b.db" },
  });
});

Deno.test("parseOptions() lets the scripted visit pick a free port", () => {
  assertEquals(parseOptions(["--once"]), {
    isValid: true,
    options: { isOnce: true, isHelp: false, port: 4400, ingestPort: 0 },
  });
});

Deno.test("parseOptions() names an unknown option", () => {
  assertEquals(parseOptions(["--prot", "80"]), { isValid: false, message: "unknown option --prot, see --help" });
  assertEquals(parseOptions(["8080"]), { isValid: false, message: "unknown option 8080, see --help" });
});

Deno.test("parseOptions() refuses a flag that is given a value", () => {
  assertEquals(parseOptions(["--once=yes"]), { isValid: false, message: "--once takes no value" });
});

Deno.test("parseOptions() refuses a value that is missing or no port", () => {
  assertEquals(parseOptions(["--db"]), { isValid: false, message: "--db needs a value" });
  assertEquals(parseOptions(["--port", "--once"]), { isValid: false, message: "--port needs a value" });
  assertEquals(parseOptions(["--port", "65536"]), {
    isValid: false,
    message: "--port must be a port from 0 to 65535, not 65536",
  });
  assertEquals(parseOptions(["--ingest-port", "1e3"]), {
    isValid: false,
    message: "--ingest-port must be a port from 0 to 65535, not 1e3",
  });
});
