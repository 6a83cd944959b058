import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { runKeysCommand } from "../../../../src/ingest/server/cli/keys_command.ts";
import { readKeysFile } from "../../../../src/ingest/server/cli/keys_file.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

/** Runs a test in a folder of its own, with what runs commands on a keys file there. */
function withFile(use: (run: (...args: string[]) => string, path: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    const path = `${folder}/keys.json`;
    use((...args) => runKeysCommand([...args, "--keys-file", path], {}), path);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("keys new makes a file that only its owner reads, with a random key, and adds to it", () => {
  withFile((run, path) => {
    const shop = run("new", "shop", "https://shop.example,https://www.shop.example", "--reports");
    const app = runKeysCommand(["new", "app", "any"], {
      INGEST_KEYS_FILE: path,
      INGEST_REPORTS: "clickhouse:http://ch",
    });

    const [, apiKey, secretKey] = /^key {12}(pk_[0-9a-f]{32})\nreport secret {2}(sk_[0-9a-f]{32})$/.exec(shop) ?? [];
    const [, otherKey] = /^key {12}(pk_[0-9a-f]{32})$/.exec(app) ?? [];
    const keys: unknown = readKeysFile(path);
    assertEquals(keys, [
      { apiKey, name: "shop", origins: ["https://shop.example", "https://www.shop.example"], secretKey },
      { apiKey: otherKey, name: "app", origins: "any" },
    ]);
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
    assertEquals([...Deno.readDirSync(path.replace("/keys.json", ""))].map(({ name }) => name), ["keys.json"]);
  });
});

Deno.test("keys revoke marks a key, and keys list shows it without its secret", () => {
  withFile((run, path) => {
    run("new", "shop", "https://shop.example", "--reports");
    Deno.chmodSync(path, 0o640);

    assertEquals(run("revoke", "shop"), "shop is revoked");

    const [key] = readKeysFile(path);
    const [head, row] = run("list").split("\n");
    assertMatch(head ?? "", /^name +key +state +reports +backends +sites$/);
    assertMatch(
      row ?? "",
      /^shop +pk_[0-9a-f]{32} +revoked \d{4}-\d\d-\d\dT[\d:.]+Z +yes +none +https:\/\/shop\.example$/,
    );
    assertEquals(row?.includes(key?.secretKey ?? "sk_"), false);
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o640);
  });
});

Deno.test("keys secret makes a secret for each backend, and keys revoke ends one of them", () => {
  withFile((run, path) => {
    run("new", "shop", "https://shop.example");
    const [, billing] = /^sending secret {2}(ss_[0-9a-f]{32})$/.exec(run("secret", "shop", "billing")) ?? [];
    const [, mails] = /^sending secret {2}(ss_[0-9a-f]{32})$/.exec(run("secret", "shop", "mails")) ?? [];
    const secrets = () => readKeysFile(path).map(({ sendingSecrets }) => sendingSecrets);

    assertEquals(secrets(), [{ billing: billing ?? "none", mails: mails ?? "none" }]);
    assertMatch(run("list"), /active +no +billing,mails +https/);
    assertEquals(run("list").includes(billing ?? "ss_"), false);
    assertThrows(() => run("secret", "shop", "billing"), ServerFault, "shop has a secret for billing");

    assertEquals(run("revoke", "shop", "billing"), "the secret of billing is revoked");
    assertEquals(secrets(), [{ mails: mails ?? "none" }]);
    run("revoke", "shop", "mails");
    assertEquals(secrets(), [undefined]);
    assertMatch(run("list"), /active +no +none +https/);
  });
});

Deno.test("keys report makes secrets for readers, with or without people, and keys revoke ends one of them", () => {
  withFile((run, path) => {
    run("new", "shop", "https://shop.example");
    const [, agency] = /^report secret {2}(sk_[0-9a-f]{32})$/.exec(run("report", "shop", "agency")) ?? [];
    const [, owner] = /^report secret {2}(sk_[0-9a-f]{32})$/.exec(run("report", "shop", "owner", "--people")) ?? [];
    run("secret", "shop", "billing");
    const secrets = () => readKeysFile(path).map(({ reportSecrets }) => reportSecrets);

    assertEquals(secrets(), [{
      agency: { secret: agency ?? "none" },
      owner: { secret: owner ?? "none", mayReadPeople: true },
    }]);
    assertMatch(run("list"), /active +agency,owner \(people\) +billing +https/);
    assertEquals(run("list").includes(agency ?? "sk_"), false);
    assertThrows(() => run("report", "shop", "billing"), ServerFault, "shop has a secret for billing");
    assertThrows(() => run("secret", "shop", "agency"), ServerFault, "shop has a secret for agency");
    assertThrows(() => run("new", "blog", "any", "--people"), ServerFault, "keys new has no --people: see keys --help");

    assertEquals(run("revoke", "shop", "agency"), "the secret of agency is revoked");
    assertEquals(secrets(), [{ owner: { secret: owner ?? "none", mayReadPeople: true } }]);
    run("revoke", "shop", "owner");
    assertEquals(secrets(), [undefined]);
    assertMatch(run("list"), /active +no +billing +https/);
  });
});

Deno.test("keys makes and ends secrets of any name, those of JavaScript's objects too", () => {
  withFile((run) => {
    run("new", "shop", "https://shop.example");
    for (const name of ["__proto__", "constructor", "toString"]) {
      run("report", "shop", name);
      run("secret", "shop", `${name}_`);
      assertMatch(run("list"), new RegExp(`active +${name} +${name}_ +https`));
      assertThrows(() => run("report", "shop", name), ServerFault, `shop has a secret for ${name}`);
      run("revoke", "shop", name);
      run("revoke", "shop", `${name}_`);
      assertMatch(run("list"), /active +no +none +https/);
    }
  });
});

Deno.test("keys says what is wrong, and leaves the file as it was", () => {
  withFile((run, path) => {
    const faultOf = (...args: string[]): string => assertThrows(() => run(...args), ServerFault).message;
    run("new", "shop", "any");
    run("new", "old", "any");
    run("revoke", "old");
    const before = Deno.readTextFileSync(path);

    assertEquals(faultOf("new", "shop", "any"), "there is a key shop: take another name");
    assertMatch(
      faultOf("new", "other", "shop.example"),
      /^keys\[2\]\.origins\[0\] must be an origin as browsers send it/,
    );
    assertEquals(faultOf("new", "", "any"), "keys[2].name must not be empty");
    assertEquals(faultOf("revoke", "nobody"), "there is no key nobody: see keys list");
    assertMatch(faultOf("revoke", "old"), /^old was revoked at \d{4}-/);
    assertEquals(
      faultOf("remove"),
      "keys must be one of new NAME SITES, secret NAME BACKEND, report NAME READER, share NAME LINK, list, revoke NAME, revoke NAME BACKEND: see keys --help",
    );
    assertEquals(faultOf("secret", "nobody", "billing"), "there is no key nobody: see keys list");
    assertMatch(faultOf("secret", "old", "billing"), /^old was revoked at \d{4}-/);
    assertEquals(faultOf("secret", "shop", ""), "keys[0].sendingSecrets[0] must have a name");
    assertEquals(faultOf("revoke", "shop", "billing"), "shop has no secret for billing: see keys list");
    assertEquals(faultOf("new", "x", "any", "--secret"), "Unknown option '--secret', see keys --help");
    assertEquals(
      assertThrows(() => runKeysCommand(["list"], {}), ServerFault).message,
      "there is no file: name one with --keys-file FILE",
    );

    assertEquals(Deno.readTextFileSync(path), before);
  });
});

Deno.test("readKeysFile() says what is wrong with a file, and quotes nothing of it", () => {
  withFile((_, path) => {
    const faultOf = (content: unknown): string => {
      Deno.writeTextFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return assertThrows(() => readKeysFile(path), ServerFault).message.replace(path, "FILE");
    };
    const key = { apiKey: "pk_1", name: "shop", origins: "any" };

    assertEquals(faultOf('{"keys":[{"apiKey":"pk_'), "the keys file FILE can't be used: it isn't JSON");
    assertEquals(
      faultOf([key]),
      'the keys file FILE can\'t be used: it must be an object with keys, a list: {"keys":[…]}',
    );
    assertEquals(
      faultOf({ keys: [{ apiKey: "pk_1", origins: "any" }] }),
      "the keys file FILE can't be used: keys[0] must have a name",
    );
    assertEquals(
      faultOf({ keys: [{ ...key, orgins: [] }] }),
      "the keys file FILE can't be used: keys[0] has an unknown field orgins",
    );
    assertEquals(
      faultOf({ keys: [{ ...key, revokedAt: "yesterday" }] }),
      "the keys file FILE can't be used: keys[0] has a revokedAt that is no ISO time",
    );
    assertEquals(
      faultOf({ keys: [{ ...key, sendingSecrets: ["ss_1"] }] }),
      "the keys file FILE can't be used: keys[0] has sendingSecrets that aren't secrets by their names",
    );
    assertEquals(
      faultOf({ keys: [key, key] }),
      "the keys file FILE can't be used: keys[1].apiKey is listed twice",
    );
  });
});
