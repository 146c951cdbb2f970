import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { copyProject } from '../../../../tests/support/copy-project.ts';
import { projectRoot } from '../../../../tests/support/run-command.ts';
import { toPackageSettings } from '../../stage/deployer-settings.ts';
import { toPackageKey } from '../../stage/package-stage.ts';

const project = copyProject();
afterAll(() => project.remove());

const place = { stage: 'dev', region: 'us-east-1', account: '000000000000' };
const keyOf = (folder: string) => toPackageKey(toPackageSettings(folder, place));

test('a copy of the project has the package of the project, also with other tests and docs', () => {
  writeFileSync(join(project.folder, 'tests/any.test.ts'), '');
  writeFileSync(join(project.folder, 'docs/any.md'), '');
  expect(keyOf(project.folder)).toBe(keyOf(projectRoot));
});

test.each([
  'functions/webhook.ts',
  'nodes/flow/flow.ts',
  'packages/plugin-kit/index.ts',
  'packages/authoring/validation/validate.ts',
  'nodes/installed.ts',
  'resources/deployment.ts',
  'serverless.yml',
  'package-lock.json',
])('a change of %s is packaged again', (name) => {
  const before = keyOf(project.folder);
  appendFileSync(join(project.folder, name), '\n');
  expect(keyOf(project.folder)).not.toBe(before);
});
