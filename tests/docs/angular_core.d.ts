/** The part of `@angular/core` that the guides use. */
export function Component(options: { readonly selector: string; readonly template: string }): (type: unknown) => void;
/** The part of `@angular/core` that the guides use. */
export function signal<Value>(initial: Value): { (): Value; set(value: Value): void };
