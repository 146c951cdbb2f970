import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { MAX_OPERATIONS } from '../../lib/adapters/durable/durable-steps.ts';
import { shardsOf } from '../../lib/adapters/dynamodb/executions/execution-item.ts';
import { readConfig } from '../../lib/app/config.ts';
import { MAX_HELD_DAYS } from '../../lib/executions/held-queues.ts';
import { computeLease, computeLimits } from '../../lib/executions/lifecycle/limits.ts';
import { RATES } from '../../lib/executions/paces.ts';
import { readParameters } from '../../resources/parameters.ts';
import { projectRoot } from '../support/run-command.ts';

// docs/limits.md against the code, the parameters' defaults, and the alarms.

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

const page = read('docs/limits.md');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:what|service) \|/.test(line));

/** The row that begins so. */
const rowOf = (start: string): string => {
  const found = rows.filter((row) => row.startsWith(`| ${start}`));
  if (found.length !== 1) throw new Error(`${found.length} rows begin with "${start}"`);
  return found[0] ?? '';
};

const text = (number: number): string => number.toLocaleString('en-US');

const { params, functions } = parse(read('serverless.yml'), { merge: true, logLevel: 'silent' });
const { quotas } = readParameters(params.default, { region: 'us-east-1', functions: [] });
const config = readConfig({ STAGE: 'test' });
const secondsOf = (mode: 'inline' | 'express' | 'durable') => computeLimits({}, mode).timeoutMs / 1_000;

test.each<[string, readonly string[]]>([
  [
    'one webhook route',
    [`${text(params.default.webhookRate)} requests a second, ${text(params.default.webhookBurst)} at once`],
  ],
  ['durable runs that start', [`${text(quotas.durableStarts)} a second`]],
  [
    'runs in the background',
    [`${shardsOf('active').length} partitions`, `${text((shardsOf('active').length * 1_000) / 2)} a second`],
  ],
  ['request to a webhook', [`${config.maxBodyBytes / 1_024 ** 2} MB`]],
  ['operations of a durable run', [text(MAX_OPERATIONS)]],
  ['a file;', [`${config.maxFileBytes / 1_024 ** 3} GiB`, `${text(config.maxFiles)}, \`MAX_FILES\``]],
  [
    'time of a run',
    [
      `${secondsOf('inline')} s`,
      `${secondsOf('express') / 60} minutes`,
      `${secondsOf('durable') / 86_400} days`,
    ],
  ],
  ['time that a run is held', [`${MAX_HELD_DAYS} days`]],
  ['Lambda | concurrent executions', [`| ${text(quotas.concurrency)},`]],
  ['Lambda | durable executions started', [`| ${text(quotas.durableStarts)} |`]],
])('the row "%s" has the numbers of the code', (start, numbers) => {
  for (const number of numbers) expect(rowOf(start)).toContain(number);
});

test.each<[string, string, RegExp]>([
  [
    'definition of a workflow',
    'lib/adapters/dynamodb/workflows/workflow-store.ts',
    /MAX_DEFINITION_BYTES = ([\d_]+)/,
  ],
  [
    '`concurrency` of a workflow',
    'lib/webhooks/features/guards/concurrency.ts',
    /max: Type\.Integer\(\{ minimum: 1, maximum: ([\d_]+)/,
  ],
  [
    'executions that the [calls of one execution',
    'lib/webhooks/limits/limit-calls-to-self.ts',
    /MAX_CALLS = ([\d_]+)/,
  ],
  ['DynamoDB | what a new table', 'resources/parameters.ts', /WARM_AT_FIRST = ([\d_]+)/],
])('the row "%s" has the number of %s', (start, path, pattern) => {
  const [, number = ''] = pattern.exec(read(path)) ?? [];
  expect(number).not.toBe('');
  expect(rowOf(start)).toContain(text(Number(number.replaceAll('_', ''))));
});

test('the sweeper queries the status of all waiting runs before their lease expires', () => {
  const { sweep } = functions;
  const leaseSeconds = computeLease('waiting', 'durable', 0, Number.POSITIVE_INFINITY) / 1_000;
  const perSweep = RATES.status * (sweep.timeout - 30); // it stops that long before its timeout
  const all = perSweep * (leaseSeconds / 300);
  const [, stated = ''] = /\| ([\d,]+), whose status/.exec(rowOf('durable runs that wait')) ?? [];
  const waiting = Number(stated.replaceAll(',', ''));
  expect(waiting).toBeLessThanOrEqual(all);
  expect(waiting).toBeGreaterThan(all * 0.8);
});

/** Each is checked against the template by the test of the alarms. */
const alarms = [...read('docs/metrics.md').matchAll(/^\| \[`…\/([\w-]+)`\]/gm)].map(([, name = '']) => name);

test('every rate and quota names an existing alarm, or says where else to look', () => {
  const tables = page.split(/^## /m).filter((part) => /^(?:Rates|Quotas)/.test(part));
  const cells = tables.flatMap((part) =>
    part
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:what|service) \|/.test(line))
      .map((line) => line.split('|').at(-2)?.trim() ?? ''),
  );
  expect(cells.length).toBeGreaterThan(15);
  for (const cell of cells) {
    if (/^none\b|^the same$/.test(cell)) continue;
    const named = [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);
    expect(named).not.toEqual([]);
    expect(alarms).toEqual(expect.arrayContaining(named));
  }
});

test('the page is linked from those on operating and deploying, and from the index', () => {
  expect(read('README.md')).toContain('(docs/limits.md)');
  for (const path of ['docs/operating.md', 'docs/deploying.md', 'docs/metrics.md'])
    expect(read(path)).toContain('(limits.md');
});
