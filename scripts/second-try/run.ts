// Runs Jest with the given arguments. Files with failures run once more, alone; a failure that does not return is printed as
// FLAKY. The exit code is 1 if one returns or more than two do not. npm run test:twice -- --config jest.deep.config.js
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findFailures, judge, printFailure, type Report } from './verdict.ts';

const jest = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js');
const folder = mkdtempSync(join(tmpdir(), 'hookloom-second-try-'));

/** @returns null if Jest ended without a report */
const run = async (name: string, args: readonly string[]): Promise<Report | null> => {
  const file = join(folder, name);
  const child = spawn(process.execPath, [jest, '--json', '--outputFile', file, ...args], {
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  await once(child, 'close');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
};

const print = (text: string) => process.stderr.write(`${text}\n`);

const args = process.argv.slice(2);
const first = await run('first.json', args);
const failures = first === null ? [] : findFailures(first);
if (first === null || first.success || failures.length === 0)
  process.exitCode = first?.success === true ? 0 : 1;
else {
  const files = [...new Set(failures.map(({ file }) => file))];
  const config = args.includes('--config') ? ['--config', args[args.indexOf('--config') + 1] ?? ''] : [];
  print(`\n${files.length} files run once more, alone.`);
  const second = await run('second.json', [...config, '--runInBand', '--runTestsByPath', ...files]);
  const { isGreen, flaky, failed } = judge(failures, second);
  for (const failure of flaky) print(printFailure('FLAKY', failure, process.cwd()));
  for (const failure of failed) print(printFailure('FAILED', failure, process.cwd()));
  process.exitCode = isGreen ? 0 : 1;
}
rmSync(folder, { recursive: true });
