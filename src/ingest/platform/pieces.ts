/** Milliseconds that work goes on before other work is let in. */
const MAX_WORK_MS = 5;

/** Work in pieces: each `yield` is where it may pause. */
export type Pieces<R> = Generator<undefined, R>;

/** Does all the work at once. */
export function doAtOnce<R>(work: Pieces<R>): R {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does the work with pauses, so that requests get their turn. */
export async function doWithPauses<R>(work: Pieces<R>): Promise<R> {
  const pause = createPause();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause();
  }
}

/** Returns a function that pauses once work has gone on for long enough, and does nothing before. */
export function createPause(): () => Promise<void> | undefined {
  let startMs = Date.now();
  return () => {
    if (Date.now() - startMs < MAX_WORK_MS) return undefined;
    return new Promise((resolve) =>
      setTimeout(() => {
        startMs = Date.now();
        resolve();
      })
    );
  };
}
