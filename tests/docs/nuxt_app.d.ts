/** The part of `nuxt/app` that the README uses. */
export function defineNuxtPlugin(setup: () => void): unknown;
/** The part of `nuxt/app` that the README uses. */
export function useCookie(name: string): { value: string | null | undefined };
