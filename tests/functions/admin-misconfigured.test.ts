import { expect, test } from '@jest/globals';

test.each(['plugins', 'plugin', 'triggers', 'actions', 'providers', 'health', 'debug'])(
  '%s does not start with an invalid setting, and names it without its value',
  async (file) => {
    process.env.PLUGIN_DEADLINE_MS = 'canary';
    const start = import(`../../functions/admin/${file}.ts`);
    await expect(start).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('PLUGIN_DEADLINE_MS'),
    });
    await expect(start).rejects.not.toMatchObject({ message: expect.stringContaining('canary') });
  },
);
