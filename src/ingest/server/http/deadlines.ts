/** What is to end in time. */
export interface Deadline {
  /** Returns how many milliseconds are left. It may get later, and never earlier. */
  readonly leftMs: () => number;
  /** Called once none is left. */
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

  function arm(leftMs: number): void {
    const atMs = performance.now() + leftMs;
    if (atMs >= dueMs) return;
    clearTimeout(timer);
    dueMs = atMs;
    timer = setTimeout(look, Math.ceil(leftMs));
  }

  function look(): void {
    dueMs = Infinity;
    for (const deadline of watched) {
      const leftMs = deadline.leftMs();
      if (leftMs > 0) arm(leftMs);
      else if (watched.delete(deadline)) deadline.onOver();
    }
  }

  return {
    add: (deadline) => {
      watched.add(deadline);
      arm(deadline.leftMs());
    },
    remove: (deadline) => {
      watched.delete(deadline);
      if (watched.size > 0) return;
      clearTimeout(timer);
      dueMs = Infinity;
    },
  };
}
