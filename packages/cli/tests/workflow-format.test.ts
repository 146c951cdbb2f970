import { describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();

describe('the format of a file', () => {
  test.each([{}, { format: 1 }, { format: 2 }])('is stored and exported as it is: %j', async (format) => {
    const { call, file } = await openCommandLine();
    const definition = { ...format, ...aWorkflow() };
    const path = file('w.json', definition);
    expect(await call(`workflow put ${path}`)).toMatchObject({ code: 0, err: '' });
    const { out } = await call('workflow export greeting');
    expect(JSON.parse(out)).toEqual(definition);
    expect(await call(`workflow put ${file('again.json', out)}`)).toMatchObject({
      out: expect.stringContaining('greeting: unchanged, version 1'),
    });
  });

  test('comes first in an exported file', async () => {
    const { call, file } = await openCommandLine();
    await call(`workflow put ${file('w.json', { ...aWorkflow(), format: 2 })}`);
    expect((await call('workflow export greeting')).out).toMatch(
      /^\{\n {2}"format": 2,\n {2}"id": "greeting",/,
    );
  });

  test('that this release does not know is refused', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', `${JSON.stringify({ ...aWorkflow(), format: 3 }, null, 2)}`);
    const { code, err } = await call(`workflow put ${path}`);
    expect(code).toBe(1);
    expect(err).toMatch(/w\.json:\d+:13: \/format must be 1 or 2: this release knows no other format/);
  });
});
