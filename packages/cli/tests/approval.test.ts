import { describe, expect, test } from '@jest/globals';
import { createCallbackUrls } from '../../../lib/approvals/callback-urls.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { anExecutionEnd, anExecutionStart } from '../../../tests/support/a-start.ts';

const openCommandLine = useCommandLine();

/** The command line, and an approval that waits. */
const aService = async () => {
  const { call, stores } = await openCommandLine();
  const { executions } = stores;
  const now = Date.now();
  const start = anExecutionStart({ workflowId: 'greeting', startedAt: now });
  await executions.start(start);
  const urls: string[] = [];
  const parts = {
    executions,
    clock: { now: () => now },
    publicUrl: 'https://hooks.example.com',
    onOpen: (url: string) => urls.push(url),
  };
  const question = { title: 'Greet\n\u001b[31mAda?', askedBy: 'Bob' };
  await createCallbackUrls(parts, start).open('ask/0/0', 'c', 600, question);
  const end = () => executions.finish('e-1', anExecutionEnd({ status: 'cancelled' }));
  return { call, url: urls[0] ?? '', now, end };
};

describe('approval list', () => {
  test('shows pending approvals in lines, without control characters or URLs', async () => {
    const { call, url, now } = await aService();
    const { out, code } = await call('approval list --workflow greeting');
    expect(code).toBe(0);
    const [titles, line] = out.split('\n');
    expect(titles).toMatch(/^SINCE +UNTIL +EXECUTION +NODE +ASKED BY +TITLE$/);
    expect(line).toContain(new Date(now + 600_000).toISOString());
    expect(line).toMatch(/e-1 +greeting\/ask +Bob +Greet \[31mAda\?$/);
    expect(out).not.toContain(url.split('/').at(-1));
  });

  test('adds URLs on request, the same as were issued', async () => {
    const { call, url } = await aService();
    const shown = await call('approval list --workflow greeting --addresses');
    expect(shown.out.split('\n').at(-1)).toMatch(/^\S+Z .* Greet \[31mAda\? {2}/);
    expect(shown.out.endsWith(`  ${url}`)).toBe(true);
    const { out } = await call('approval list --workflow greeting --addresses --json');
    expect(JSON.parse(out)).toMatchObject({ approvals: [{ address: url }], nextCursor: null });
  });

  test('shows only those that one execution waits for', async () => {
    const { call } = await aService();
    const { out } = await call('approval list --execution e-1 --json');
    expect(JSON.parse(out)).toMatchObject({ approvals: [{ executionId: 'e-1' }] });
    expect(await call('approval list --execution e-2')).toMatchObject({
      code: 0,
      out: '',
      err: 'No approvals are pending.',
    });
  });

  test('says when nothing is pending, and refuses an invalid limit', async () => {
    const { call, end } = await aService();
    await end();
    expect(await call('approval list')).toMatchObject({ code: 0, err: 'No approvals are pending.' });
    expect(await call('approval list --limit many')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--limit must be an integer'),
    });
  });
});
