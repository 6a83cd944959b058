import { assertNotMatch } from "@std/assert";
import { KEY, startIngest } from "../../browser/ingest_server.ts";
import { prepareApplication } from "./application.ts";
import { checkDecline } from "./decline_check.ts";
import { checkWithoutKey } from "./key_check.ts";
import { readKeySource } from "./key_source.ts";
import { checkRendering } from "./render_check.ts";
import { findNode } from "./find_node.ts";
import { findFreePort } from "../../support/free_port.ts";
import { startServer } from "./server_process.ts";
import { type Differences, takeWalk } from "./take_walk.ts";

/** A framework, and how it differs from the others. */
export interface Framework {
  /** Its name. */
  readonly name: string;
  /** Folder of its fixture. */
  readonly fixture: string;
  /** The fixture of an earlier major, or of another banner: the files in which its application differs; none by default. */
  readonly variant?: string;
  /** Its name in the table of keys in docs/frameworks.md. */
  readonly key: string;
  /** Where its pageviews differ from those of the table in `walk.ts`; nowhere by default. */
  readonly differences?: Differences;
}

/** Registers the test of a framework. */
export function testFramework({ name, fixture, variant, key, differences = {} }: Framework): void {
  Deno.test(`${name} counts each view once, and nothing on its server`, async (t) => {
    const keySource = readKeySource(key);
    const node = await findNode();
    const { directory, scripts, build } = await prepareApplication(fixture, {
      keySource,
      node,
      ...variant && { variant },
    });
    const port = findFreePort();
    const site = `http://127.0.0.1:${port}`;
    const ingest = await startIngest([site]);
    const settings = { endpoint: ingest.endpoint, flushInterval: 20, trackPageviews: true };
    const options = { directory, command: scripts["start"] ?? "", node, settings, port };
    try {
      await t.step("without its key a page is shown, and asks and sends nothing", async () => {
        const server = await startServer(options);
        try {
          await checkWithoutKey({ url: `${site}/teas`, ingest });
        } finally {
          await server.close();
        }
      });
      const env = { [keySource.variable]: KEY };
      await build(env);
      const server = await startServer({ ...options, env });
      let output = "";
      try {
        await t.step(
          "the server renders each visitor's page, collects nothing and keeps nothing",
          () => checkRendering(server, ingest),
        );
        await t.step(
          "a walk with consent gives full pageviews",
          () => takeWalk({ site, ingest, mode: "granted", differences }),
        );
        await t.step(
          "a walk from pending to granted gives aggregates, then full pageviews",
          () => takeWalk({ site, ingest, mode: "auto", differences }),
        );
        await t.step(
          "a visitor who declines isn't counted, and isn't asked again",
          () => checkDecline({ url: `${site}/teas`, ingest }),
        );
      } finally {
        output = await server.close();
      }
      await t.step("the server has nothing to complain about", () => assertNotMatch(output, /\[Vendor\]|error|warn/i));
    } finally {
      await ingest.close();
    }
  });
}
