// With a worker thread esbuild's synchronous build leaves a message port open; without, it runs its binary to the end.
Deno.env.set("ESBUILD_WORKER_THREADS", "0");
