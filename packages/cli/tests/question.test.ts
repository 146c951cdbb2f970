import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { CommandError } from '../command-error.ts';
import { askOn } from '../io.ts';

/** Answers a question by keys of a terminal. */
const answer = async (keys: string) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked = askOn(input, output, 'Make this change? ').catch((error: unknown) => error);
  input.write(keys);
  return { answered: await asked, shown: String(output.read()) };
};

test('a line answers a question', async () => {
  expect(await answer('yes\r')).toMatchObject({
    answered: 'yes',
    shown: expect.stringContaining('change? '),
  });
});

test.each([
  ['Ctrl+C', '\x03'],
  ['Ctrl+D', '\x04'],
  ['Ctrl+C after some text', 'ye\x03'],
])('%s leaves a question, and what follows begins a line', async (_name, keys) => {
  const { answered, shown } = await answer(keys);
  expect(answered).toEqual(new CommandError('Cancelled: nothing was changed.'));
  expect(shown).toMatch(/\n$/);
});
