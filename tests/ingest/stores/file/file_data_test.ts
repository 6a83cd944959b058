import { testData, type WithHeld } from "../data_contract.ts";
import { testErasures } from "../data_property.ts";
import { createFileData, createFileRecount, createFileSink, withDirectory } from "./in_thread.ts";

// Some of the events of a test lie in files, and some in the tail.

const withHeld = (fileEvents: number): WithHeld => (use) =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const [sink, data] = [await createFileSink({ folder, fileEvents }), createFileData({ folder })];
    const listIds = async () => (await sink.events()).map(({ id }) => id).toSorted();
    try {
      await use({ sink, data, reader: createFileRecount(folder), listIds });
    } finally {
      await Promise.all([sink.close(), data.close()]);
    }
  });

testData("createFileData():", withHeld(7));

testErasures("createFileData():", withHeld(100), { numRuns: 10, knowsIds: true, forgetsErased: false });
