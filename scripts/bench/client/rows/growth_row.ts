import type { Figures, Row } from "../row.ts";
import { withSession } from "../session.ts";

const AMOUNTS = [100, 1000, 10_000, 100_000] as const;
/** What else is far too slow for 100,000 events. */
const SUBJECTS: readonly string[] = ["no-op", "floor", "ours", "before"];

/** Whether a call costs more when there are more of them. */
export const GROWTH_ROW: Row = {
  id: "growth",
  columns: AMOUNTS.map((amount) => ({
    figure: `growth-${amount}`,
    title: `growth: step of ${amount.toLocaleString("en")}, µs`,
    digits: 1,
    pick: "best",
  })),
  isFor: ({ id }) => SUBJECTS.includes(id),
  async measure(subject, bench) {
    const figures: Record<string, number> = {};
    for (const amount of AMOUNTS) {
      Object.assign(
        figures,
        await withSession(subject, bench, async ({ settle, burst }): Promise<Figures> => {
          await settle();
          const { ms, calls } = await burst(amount);
          return { [`growth-${amount}`]: ms / calls * 1000 };
        }),
      );
    }
    return figures;
  },
};
