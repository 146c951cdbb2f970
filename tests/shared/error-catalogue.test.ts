import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import * as catalogue from '../../lib/shared/error-catalogue.ts';
import { WORKFLOW_CHANGED } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';

const folder = join(import.meta.dirname, '../../lib/shared');

test('a bundle holds only the errors that it imports', async () => {
  const contents = `import { BODY_INVALID, FILE_CHANGED } from './error-catalogue.ts';
    console.log(BODY_INVALID, FILE_CHANGED);`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    platform: 'node',
    write: false,
  });
  const bundle = outputFiles[0]?.text ?? '';
  const held = Object.keys(catalogue).filter((code) => bundle.includes(`"${code}"`));
  expect(held).toEqual(['BODY_INVALID', 'FILE_CHANGED']);
});

test('the parameters of an error are checked', () => {
  // @ts-expect-error
  expect(new AppError(WORKFLOW_CHANGED, {})).toBeInstanceOf(AppError);
  // @ts-expect-error
  expect(new AppError(WORKFLOW_CHANGED, { workflowId: 'orders', reason: 'r' })).toMatchObject({
    code: 'WORKFLOW_CHANGED',
    message: 'Workflow orders was changed in the meantime; read it again and retry.',
  });
});
