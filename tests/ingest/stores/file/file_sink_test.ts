import { testPageviews, testSink } from "../sink_contract.ts";
import { createFileSink } from "./in_thread.ts";

const create = async () => await createFileSink({ folder: `${await Deno.makeTempDir()}/events` });

testSink("createFileSink()", create);
testPageviews("createFileSink()", create);
