interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** Kills those descendants of a process whose name matches; returns how many. */
export async function killDescendants(ancestor: number, name: RegExp): Promise<number> {
  const processes = await listProcesses();
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === ancestor || isOurs(parents.get(pid)));
  const victims = processes.filter((process) => name.test(process.name) && isOurs(process.parent));
  for (const { pid } of victims) Deno.kill(pid, "SIGKILL");
  return victims.length;
}

async function listProcesses(): Promise<Process[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", "pid=,ppid=,comm="] }).output();
  return new TextDecoder().decode(stdout).split("\n").flatMap((line) => {
    const [, pid, parent, name] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid && parent && name ? [{ pid: Number(pid), parent: Number(parent), name }] : [];
  });
}
