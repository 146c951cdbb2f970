import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { projectRoot } from '../../../../tests/support/run-command.ts';
import { readPolicies, toPackageSettings } from '../../stage/deployer-settings.ts';

const place = { stage: 'dev', region: 'eu-west-1', account: '000000000000' };
const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

test('settings are written as a deployer writes them', () => {
  const { edits } = toPackageSettings(projectRoot, place, { LOG_LEVEL: 'warn', MAX_FILES: '2' });
  let text = read('serverless.yml');
  for (const [before, after] of edits) {
    expect(text.split(before)).toHaveLength(2);
    text = text.replace(before, () => after);
  }
  const { provider, custom } = parse(text, { merge: true, logLevel: 'silent' });
  expect(provider.environment).toMatchObject({
    LOG_LEVEL: 'warn',
    MAX_FILES: '2',
    OUTBOUND_ALLOW: '127.0.0.1',
    OWN_PROCESS: '1',
  });
  expect(custom.triggerQueues).toContain('arn:aws:sqs:eu-west-1:000000000000:orders.fifo');
  expect(custom.workflowStatements).toHaveLength(2);
});

test('the policies of a page are adapted to the stage', () => {
  const pages = read('docs/operating.md') + read('docs/deploying.md');
  const { author, operator, deployer } = readPolicies(pages, { ...place, apiId: 'a1b2' });
  expect(deployer).toHaveLength(3);
  const text = JSON.stringify([author, operator]);
  expect(text).toContain('arn:aws:execute-api:eu-west-1:000000000000:a1b2/');
  expect(text).toContain('arn:aws:cloudformation:eu-west-1:000000000000:stack/hookloom-dev/*');
  expect(text).not.toMatch(/STAGE|REGION|ACCOUNT|API_ID/);
});
