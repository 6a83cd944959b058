import { runProcess } from "../../../scripts/support/process.ts";
import { bundle } from "../../../scripts/support/bundle.ts";
import { assertInert } from "../../support/headless_report.ts";

const PROGRAM = "tests/support/headless_program.ts";

Deno.test("Node: the SDK is inert, and the process ends by itself", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const file = `${directory}/program.mjs`;
    await Deno.writeTextFile(file, bundle({ entry: PROGRAM, format: "esm", minify: false }));

    assertInert(await runProcess("node", { args: [file], isQuiet: true, timeoutMs: 20_000 }));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
