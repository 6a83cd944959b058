import { environmentContract } from "./contract.ts";
import { openMemoryPage } from "./memory_driver.ts";
import { openWindowPage } from "./window_driver.ts";

environmentContract("createTestBrowser().open()", openMemoryPage);
environmentContract("createBrowserEnvironment()", openWindowPage);
