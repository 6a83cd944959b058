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

Deno.test("parseOptions() takes the options of the cluster", () => {
  const readCluster = (...args: string[]) => {
    const parsed = parseOptions(["--cluster", ...args]);
    return parsed.isValid ? parsed.options.cluster : parsed.message;
  };

  assertEquals(readCluster(), { seconds: 20, isStaying: false });
  assertEquals(readCluster("--seconds=8", "--stay", "--clickhouse", "http://localhost:8123"), {
    seconds: 8,
    isStaying: true,
    clickHouseUrl: "http://localhost:8123",
  });
});

Deno.test("parseOptions() says in one line what is wrong", () => {
  const message = (...args: string[]): string => {
    const parsed = parseOptions(args);
    return parsed.isValid ? "" : parsed.message;
  };

  assertEquals(message("--prot", "80"), "Unknown option '--prot', see --help");
  assertEquals(message("--once=yes"), "Option '--once' does not take an argument, see --help");
  assertEquals(message("--db"), "Option '--db <value>' argument missing, see --help");
  assertEquals(message("--db="), "--db needs a path, see --help");
  assertEquals(message("--port", "65536"), '--port must be a port from 0 to 65535, not "65536", see --help');
  assertEquals(message("--stay"), "--stay needs --cluster, see --help");
  assertEquals(message("--cluster", "--port=80"), "--port doesn't go with --cluster, see --help");
  assertEquals(
    message("--cluster", "--seconds=4"),
    '--seconds must be a whole number from 5 to 600, not "4", see --help',
  );
  assertEquals(
    message("--cluster", "--clickhouse=localhost:8123"),
    "--clickhouse must be an address, as in http://localhost:8123, see --help",
  );
  assertEquals(message("--ingest-port", "1e3"), '--ingest-port must be a port from 0 to 65535, not "1e3", see --help');
});
