/** The program, unless the environment names another one. */
export const FIREFOX_PATH: string = Deno.env.get("FIREFOX") ?? "/usr/bin/firefox-esr";
