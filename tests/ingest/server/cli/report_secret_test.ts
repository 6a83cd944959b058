import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { addReportSecret } from "../../../../src/ingest/server/cli/report_secret.ts";
import { parseSettings } from "../../../../src/ingest/server/cli/settings.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

const KEY = ["--key", "pk_1=https://shop.example"];

/** Returns the secret of the settings that the arguments make, with a database in the folder. */
function addTo(directory: string, ...args: readonly string[]) {
  const settings = parseSettings(["--sink", `file:${directory}/events`, ...args], {});
  if (typeof settings === "string") throw new Error(settings);
  return addReportSecret(settings);
}

async function inDirectory(test: (directory: string) => void | Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await test(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("addReportSecret() makes a file that its owner alone can read, and finds it again", () =>
  inDirectory((directory) => {
    const path = `${directory}/events-report-secret`;
    const first = addTo(directory, ...KEY);
    Deno.chmodSync(path, 0o644); // as a copy may have it
    const second = addTo(directory, ...KEY);

    assertMatch(first?.secret ?? "", /^sk_[0-9a-f]{32}$/);
    assertEquals(first, { keys: first?.keys ?? [], secret: first?.secret ?? "", path, isNew: true });
    assertEquals(second, { keys: first?.keys ?? [], secret: first?.secret ?? "", path, isNew: false });
    assertEquals(first?.keys[0]?.secretKey, first?.secret);
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  }));

Deno.test("addReportSecret() touches no file where something else says who reads reports, or there is no database", () =>
  inDirectory((directory) => {
    const keysPath = `${directory}/keys.json`;
    Deno.writeTextFileSync(keysPath, '{"keys":[{"apiKey":"pk_1","name":"shop","origins":"any"}]}');

    const configPath = `${directory}/config.json`;
    const reportSecrets = { agency: { secret: "sr_test_0123456789" } };
    Deno.writeTextFileSync(configPath, JSON.stringify({ keys: [{ apiKey: "pk_1", origins: "any", reportSecrets }] }));

    const made = [
      addTo(directory, "--config", configPath),
      addTo(directory, ...KEY, "--report-secret", "sk_test_0123456789"),
      addTo(directory, ...KEY, "--key", "pk_2=any"),
      addTo(directory, "--keys-file", keysPath),
      addTo(directory, ...KEY, "--sink", "memory"),
    ];

    assertEquals(made, made.map(() => undefined));
    assertEquals([...Deno.readDirSync(directory)].map(({ name }) => name).toSorted(), ["config.json", "keys.json"]);
  }));

Deno.test("addReportSecret() says which file it can't use, and repeats nothing of it", () =>
  inDirectory((directory) => {
    const path = `${directory}/events-report-secret`;
    Deno.writeTextFileSync(path, "tooshort\n");

    const error = assertThrows(() => addTo(directory, ...KEY), ServerFault);

    assertEquals(
      error.message,
      `the report secret in ${path} can't be used: keys[0].secretKey must have at least 16 characters; ` +
        "remove the file for a new one",
    );
  }));

Deno.test("addReportSecret() waits for the process that makes the file at the same time", () =>
  inDirectory(async (directory) => {
    const path = `${directory}/events-report-secret`;
    Deno.writeTextFileSync(path, ""); // as the other one has just made it
    const program = `
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      Deno.writeTextFileSync(${JSON.stringify(path)}, "sk_0123456789abcdef\\n");
      postMessage("written");
    `;
    const worker = new Worker(`data:text/javascript,${encodeURIComponent(program)}`, { type: "module" });
    const written = new Promise((resolve) => worker.addEventListener("message", resolve));
    const found = addTo(directory, ...KEY);
    await written;
    worker.terminate();

    assertEquals([found?.secret, found?.isNew], ["sk_0123456789abcdef", false]);
  }));

Deno.test("addReportSecret() leaves the mode of what a link leads to", () =>
  inDirectory((directory) => {
    const target = `${directory}/mounted`;
    Deno.writeTextFileSync(target, "sk_0123456789abcdef\n", { mode: 0o640 });
    Deno.symlinkSync(target, `${directory}/events-report-secret`);

    assertEquals(addTo(directory, ...KEY)?.secret, "sk_0123456789abcdef");
    assertEquals((Deno.statSync(target).mode ?? 0) & 0o777, 0o640);
  }));
