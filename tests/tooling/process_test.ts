import { assertEquals, assertStringIncludes } from "@std/assert";
import { runProcess } from "../../scripts/support/process.ts";

const evaluate = (code: string): string[] => ["eval", "--no-config", code];

Deno.test("runProcess() returns the exit code and all output", async () => {
  const result = await runProcess(Deno.execPath(), {
    args: evaluate("console.log('out'); console.error('err'); Deno.exit(7)"),
    isQuiet: true,
  });

  assertEquals(result.code, 7);
  assertStringIncludes(result.output, "out\n");
  assertStringIncludes(result.output, "err\n");
});

Deno.test("runProcess() passes the working directory and variables on", async () => {
  const directory = await Deno.realPath(await Deno.makeTempDir());

  const result = await runProcess(Deno.execPath(), {
    args: evaluate("console.log(Deno.cwd(), Deno.env.get('FLAVOUR'))"),
    cwd: directory,
    env: { FLAVOUR: "salt" },
    isQuiet: true,
  });

  assertEquals(result.output, `${directory} salt\n`);
  await Deno.remove(directory);
});

Deno.test("runProcess() ends what takes too long", async () => {
  const result = await runProcess(Deno.execPath(), {
    args: evaluate("setInterval(() => {}, 1000)"),
    isQuiet: true,
    timeoutMs: 300,
  });

  assertEquals(result.code, 137);
});

Deno.test("a SIGTERM to the launcher ends the child as well", async () => {
  const module = new URL("../../scripts/support/process.ts", import.meta.url).href;
  const inner = "console.log(Deno.pid); setInterval(() => {}, 1000)";
  const outer = `const { runProcess } = await import(${JSON.stringify(module)});
    Deno.exit((await runProcess(Deno.execPath(), { args: ["eval", "--no-config", ${JSON.stringify(inner)}] })).code)`;
  const child = new Deno.Command(Deno.execPath(), { args: evaluate(outer), stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const innerPid = Number(new TextDecoder().decode(value));

  child.kill("SIGTERM");
  const { code } = await child.status;
  await reader.cancel();

  assertEquals(code, 143);
  assertEquals(await isAlive(innerPid), false);
});

async function isAlive(pid: number): Promise<boolean> {
  const { success } = await new Deno.Command("kill", { args: ["-0", String(pid)], stderr: "null" }).output();
  return success;
}
