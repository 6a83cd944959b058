/** Counts what is under way. */
export interface InFlightCounter {
  /** Counts one more. */
  begin(): void;
  /** Counts one less. */
  end(): void;
  /** Returns how many there are. */
  size(): number;
  /** Resolves when there is none. */
  idle(): Promise<void>;
}

/** Creates a counter. */
export function createInFlightCounter(): InFlightCounter {
  let size = 0;
  const waiting: (() => void)[] = [];

  return {
    begin: () => {
      size += 1;
    },
    end: () => {
      size -= 1;
      if (size === 0) waiting.splice(0).forEach((resolve) => resolve());
    },
    size: () => size,
    idle: () => new Promise((resolve) => size === 0 ? resolve() : waiting.push(resolve)),
  };
}
