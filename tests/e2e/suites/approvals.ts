import { describe, expect, test } from '@jest/globals';
import type { RunningProject } from '../../support/a-running-project.ts';
import { aDecision, waitingApproval } from '../../support/an-approval.ts';

/** Requests as browsers send them. */
const asBrowser = { accept: 'text/html,*/*;q=0.8', 'content-type': 'application/x-www-form-urlencoded' };

export const describeApprovals = (project: RunningProject): void => {
  describe('an approval behind a form', () => {
    const send = (url: string, fields: Record<string, string>) =>
      project.fetch(url, { method: 'POST', headers: asBrowser, body: String(new URLSearchParams(fields)) });

    test('is requested, listed, checked and decided once, and reports it', async () => {
      await project.storeWorkflow(aDecision({ id: 'decision' }));
      const formUrl = `${project.service.baseUrl}/api/webhook/decision/webhook`;
      const page = await fetch(formUrl);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('>What do you need?')]);
      const refused = await send(formUrl, { cost: 'much' });
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('value="much"')]);
      const thanks = await send(formUrl, { what: 'A kettle', cost: '39.9', urgent: 'true' });
      expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining('<h1>Thank you')]);

      const { address, ...listed } = await waitingApproval(project, 'decision');
      expect(listed).toMatchObject({ nodeId: 'ask', title: 'A kettle for 39.9', askedBy: 'Kitchen' });
      const table = (await project.cli('approval list --workflow decision')).stdout;
      expect(table).toContain('A kettle for 39.9');
      expect(table).not.toContain('webhook-callback');
      expect((await project.cli('approval list --addresses')).stdout).toContain(address);

      const asked = await (await project.fetch(address)).text();
      expect(asked).toContain('<strong>39.9 EUR</strong>');
      const wrong = await send(address, { decision: 'approve', limit: 'forty', other: 'x' });
      expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('value="forty"')]);
      const right = await send(address, { decision: 'approve', comment: 'Fine', limit: '40' });
      expect([right.status, await right.text()]).toEqual([200, expect.stringContaining('<h1>Approved')]);
      const again = await send(address, { decision: 'reject', comment: 'No' });
      expect([again.status, await again.text()]).toEqual([
        410,
        expect.stringContaining('It was already approved'),
      ]);

      const { executionId } = listed;
      const { stdout } = await project.cli(`execution show ${executionId} --json`);
      expect(stdout).toContain('"limit": 40');
      expect((await project.cli('approval list --workflow decision')).stderr).toContain(
        'No approvals are pending.',
      );
    });
  });
};
