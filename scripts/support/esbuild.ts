// First of the imports: esbuild reads the variable when it loads.
import "./esbuild_env.ts";

export { type BuildOptions, buildSync, transformSync } from "esbuild";
