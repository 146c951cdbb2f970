import { expect, test } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';

test('the costs on the page match the runs as they are measured now', async () => {
  const { code, stderr } = await runCommand('node', ['scripts/cost-table.ts', '--check']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});
