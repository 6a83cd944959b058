/** Bounds what is held at a time. */
export interface Room {
  /** Does work that holds so many bytes once they fit beside the others'. What is small doesn't wait for what isn't. */
  take<R>(bytes: number, work: () => Promise<R>): Promise<R>;
}

/** Creates room for so many bytes. Work alone is let in whatever it holds. */
export function createRoom(limitBytes: number): Room {
  const waiting = new Set<{ readonly bytes: number; readonly start: () => void }>();
  let taken = 0;

  function letIn(): void {
    for (const next of waiting) {
      if (taken > 0 && taken + next.bytes > limitBytes) continue;
      waiting.delete(next);
      taken += next.bytes;
      next.start();
    }
  }

  return {
    take: async (bytes, work) => {
      await new Promise<void>((start) => {
        waiting.add({ bytes, start });
        letIn();
      });
      try {
        return await work();
      } finally {
        taken -= bytes;
        letIn();
      }
    },
  };
}
