import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { copyProject } from '../support/copy-project.ts';
import { invokeLocal } from '../support/run-command.ts';

test('a handler that throws at import exits with an error instead of hanging', async () => {
  const { folder, remove } = copyProject();
  try {
    const file = join(folder, 'functions/admin/debug.ts');
    writeFileSync(file, `throw new Error('broken at import');\n${readFileSync(file, 'utf8')}`);
    const { code, stdout, stderr } = await invokeLocal('adminDebug', folder);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('broken at import');
  } finally {
    remove();
  }
});
