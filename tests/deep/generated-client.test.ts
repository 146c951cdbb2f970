import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeApi } from '../../lib/app/describe-api.ts';
import { runCommand } from '../support/run-command.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-client-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const strict = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
  },
  include: ['*.ts'],
};

/** A program that uses the client as its types say, and in ways that they refuse. */
const program = `
import { listExecutions, putWorkflow, retryExecution, showWorkflow } from './client';

export const run = async (): Promise<string> => {
  const listed = await listExecutions({ status: 'failed', limit: 10 });
  if (listed.status !== 200) return 'failed';
  const [first] = listed.data.executions;
  if (first === undefined) return 'none';
  // @ts-expect-error no such status
  if (first.status === 'lost') return '';
  // @ts-expect-error no such parameter
  await listExecutions({ colour: 'red' });
  const again = await retryExecution(first.executionId, { version: 'current' });
  if (again.status === 404) return again.data.detail;
  if (again.status === 202) return again.data.retryOf;
  const shown = await showWorkflow('greeting');
  if (shown.status !== 200) return '';
  const put = await putWorkflow('greeting', shown.data.definition, { message: 'as it was' });
  return put.status === 412 ? String(put.data.currentVersion) : '';
};
`;

test('a client that a common generator makes of the document type-checks, and knows parameters and answers', async () => {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('openapi.json', JSON.stringify(describeApi()));
  write('tsconfig.json', JSON.stringify(strict));
  write('program.ts', program);
  const made = await runCommand(
    'orval',
    ['--input', 'openapi.json', '--output', 'client.ts', '--client', 'fetch'],
    {
      cwd: folder,
    },
  );
  expect(made).toMatchObject({ code: 0 });
  const { code, stdout } = await runCommand('tsc', ['--project', 'tsconfig.json'], { cwd: folder });
  expect(stdout).toBe('');
  expect(code).toBe(0);
});
