import { execFileSync } from 'node:child_process';

/** CPU milliseconds of the stages of a start. */
export interface Start {
  /** Of Node itself, before the import. */
  readonly node: number;
  readonly import: number;
  readonly first: number;
  readonly second: number;
}

/** Prints the CPU microseconds of importing a bundle and of its first two answers to an event, if there is one. */
const SCRIPT = `
  const [file, event] = process.argv.slice(1);
  const cpu = () => { const { user, system } = process.cpuUsage(); return user + system; };
  const times = [cpu()];
  const { handler } = require(file);
  times.push(cpu());
  (async () => {
    for (let at = 0; at < 2 && event !== undefined; at++) {
      const { statusCode } = await handler(JSON.parse(event), {});
      if (statusCode !== 200) throw new Error('the answer is ' + statusCode);
      times.push(cpu());
    }
    process.stdout.write(JSON.stringify(times), () => process.exit());
  })();`;

/** Starts a bundle in a process of its own, and measures its stages. */
export const startFresh = (file: string, env: Readonly<Record<string, string>>, event?: string): Start => {
  const args = ['-e', SCRIPT, file, ...(event === undefined ? [] : [event])];
  const output = execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  const [begin = 0, imported = 0, first = imported, second = first]: number[] = JSON.parse(output);
  return {
    node: begin / 1e3,
    import: (imported - begin) / 1e3,
    first: (first - imported) / 1e3,
    second: (second - first) / 1e3,
  };
};
