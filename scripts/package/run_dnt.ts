/**
 * Runs dnt in a process of its own, which {@linkcode compileWithDnt} ends where it hangs.
 *
 * @module
 */
const [specifier = "", options = "{}"] = Deno.args;
// Not a literal, so that the type check doesn't need JSR.
const { build } = await import(specifier);
await build(JSON.parse(options));
