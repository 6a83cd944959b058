/** The part of `next/navigation` that the README uses. */
export function usePathname(): string;
/** The part of `next/navigation` that the README uses. */
export function useSearchParams(): URLSearchParams;
