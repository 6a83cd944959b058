import process from "node:process";

/** Returns the milliseconds of CPU that the process has taken, its threads included. */
export function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the memory that the process has, its threads included, in megabytes. */
export function readResidentMb(): number {
  return Math.round(process.memoryUsage().rss / 1e6);
}
