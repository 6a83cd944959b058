import { testReportStore } from "../stores/report_store_contract.ts";
import { createEventModel } from "./event_model.ts";
import { createReferenceStore } from "./reference_store.ts";

testReportStore("createReferenceStore()", async (use) => {
  const { sink, data, eventsOf } = createEventModel();
  await use({ sink, data, store: createReferenceStore(eventsOf) });
}, { knowsBackends: true });
