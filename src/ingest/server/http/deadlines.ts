/** Work that is to end in time. */
export interface Deadline {
  /** When it is over, by `performance.now()`. It may get later, and never earlier. */
  readonly endMs: number;
  /** Called once it is over. */
  readonly onOver: () => void;
}

/** Watches deadlines. */
export interface Deadlines {
  /** Watches one more. */
  add(deadline: Deadline): void;
  /** Watches one no more. */
  remove(deadline: Deadline): void;
}

/** Creates a watch with one timer for all: hardly any is ever over, and a timer a request costs more than this. */
export function createDeadlines(): Deadlines {
  const watched = new Set<Deadline>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueMs = Infinity;

  function arm(endMs: number): void {
    if (endMs >= dueMs) return;
    clearTimeout(timer);
    dueMs = endMs;
    timer = setTimeout(look, Math.ceil(endMs - performance.now()));
  }

  function look(): void {
    dueMs = Infinity;
    for (const deadline of watched) {
      if (deadline.endMs > performance.now()) arm(deadline.endMs);
      else if (watched.delete(deadline)) deadline.onOver();
    }
  }

  return {
    add: (deadline) => {
      watched.add(deadline);
      arm(deadline.endMs);
    },
    remove: (deadline) => {
      watched.delete(deadline);
      if (watched.size > 0) return;
      clearTimeout(timer);
      dueMs = Infinity;
    },
  };
}
