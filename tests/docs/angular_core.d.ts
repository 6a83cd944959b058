/** The part of `@angular/core` that the guides use. */
export function Component(
  options: { readonly selector: string; readonly template: string; readonly styles: string },
): (type: unknown) => void;
/** The part of `@angular/core` that the guides use. */
export abstract class DestroyRef {
  abstract onDestroy(callback: () => void): () => void;
}
/** The part of `@angular/core` that the guides use. */
export function inject<Value>(token: abstract new () => Value): Value;
/** The part of `@angular/core` that the guides use. */
export function signal<Value>(initial: Value): { (): Value; set(value: Value): void };
