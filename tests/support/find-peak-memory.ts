import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Finds the most memory that a process of the local service's functions has had at once, on Linux.
 *
 * @param folder - of the project that the service was started in
 * @returns bytes; 0 on other systems
 */
export const findPeakMemory = (folder: string): number => {
  if (process.platform !== 'linux') return 0;
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Math.max(0, ...ids.map((id) => readPeak(`/proc/${id}`, folder)));
};

const readPeak = (process: string, folder: string): number => {
  try {
    const isFunction = readFileSync(`${process}/cmdline`, 'utf8').includes('sandbox-process');
    if (!isFunction || readlinkSync(`${process}/cwd`) !== folder) return 0;
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`${process}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 1_024;
  } catch {
    return 0; // it has ended, or belongs to another user
  }
};
