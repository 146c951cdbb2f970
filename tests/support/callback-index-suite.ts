import { describe, expect, test } from '@jest/globals';
import type { CallbackIndex } from '../../lib/approvals/callback-index.ts';
import type { ExecutionStore, ListPosition } from '../../lib/executions/record/execution-store.ts';
import { anExecutionEnd, anExecutionStart } from './a-start.ts';

const NOW = 1_700_000_000_000;

interface Stores {
  readonly executions: ExecutionStore;
  readonly callbacks: CallbackIndex;
}

/** The contract of {@link CallbackIndex}. @param create - makes an empty one, at a time */
export const describeCallbackIndex = (
  name: string,
  create: (now: number) => Stores | Promise<Stores>,
): void => {
  describe(`${name} lists pending callbacks`, () => {
    const open = async (
      { executions }: Stores,
      executionId: string,
      {
        workflowId = 'orders',
        at = 1,
        expiresAt,
      }: { workflowId?: string; at?: number; expiresAt?: number } = {},
    ) => {
      await executions.start(anExecutionStart({ executionId, workflowId }));
      const subject = {
        executionId,
        workflowId,
        name: 'ask/0/0',
        openedAt: NOW + at,
        publicUrl: 'https://example.com',
        question: { title: `Question of ${executionId}` },
      };
      const callback = {
        callbackId: `c-${executionId}`,
        expiresAt: expiresAt ?? NOW + 60_000 + at,
        subject,
      };
      await executions.openCallback(executionId, 'ask/0/0', callback);
      return callback;
    };
    const idsOf = async ({ callbacks }: Stores, limit = 10) => {
      const page = await callbacks.list('orders', limit);
      return page.callbacks.map(({ subject }) => subject.executionId);
    };

    test('of one workflow, the first to expire first', async () => {
      const stores = await create(NOW);
      await open(stores, 'e-1', { at: 1 });
      const second = await open(stores, 'e-2', { at: 2 });
      await open(stores, 'e-3', { workflowId: 'others', at: 0 });
      expect(await idsOf(stores)).toEqual(['e-1', 'e-2']);
      const first = await stores.callbacks.list('orders', 1);
      expect(first.callbacks.map(({ subject }) => subject.executionId)).toEqual(['e-1']);
      expect(await stores.callbacks.list('orders', 1, first.next ?? undefined)).toEqual({
        callbacks: [second],
        next: null,
      });
      expect(await stores.executions.list({ workflowId: 'orders', limit: 10 })).toMatchObject({
        executions: [{ executionId: 'e-2' }, { executionId: 'e-1' }],
        next: null,
      });
    });

    test('except those answered, expired, of an ended execution, or without a subject', async () => {
      const stores = await create(NOW);
      for (const id of ['e-1', 'e-2', 'e-3', 'e-4']) await open(stores, id);
      await open(stores, 'e-5', { expiresAt: NOW });
      await stores.executions.openCallback('e-4', 'ask/1/0', { callbackId: 'c', expiresAt: NOW + 60_000 });
      await stores.callbacks.close('e-1', 'ask/0/0', { decision: 'reject', at: NOW });
      await stores.executions.finish('e-2', anExecutionEnd({ status: 'cancelled' }));
      expect((await idsOf(stores)).toSorted()).toEqual(['e-3', 'e-4']);
    });

    test('and keeps the answer', async () => {
      const stores = await create(NOW);
      const callback = await open(stores, 'e-1');
      const answered = { decision: 'approve', at: NOW } as const;
      await stores.callbacks.close('e-1', 'ask/0/0', answered);
      await stores.callbacks.close('e-1', 'ask/1/0', answered);
      expect(await stores.executions.findCallback('e-1', 'ask/0/0')).toEqual({ ...callback, answered });
      expect(await stores.executions.findCallback('e-1', 'ask/1/0')).toBeNull();
    });

    test('and a repeated question once, by the latest time, until it is answered', async () => {
      const stores = await create(NOW);
      const first = await open(stores, 'e-1', { at: 1 });
      await open(stores, 'e-2', { at: 2 });
      const again = {
        ...first,
        callbackId: 'again',
        expiresAt: NOW + 60_003,
        subject: { ...first.subject, openedAt: NOW + 3 },
      };
      await stores.executions.openCallback('e-1', 'ask/0/0', again);
      expect(await idsOf(stores)).toEqual(['e-2', 'e-1']);
      const answered = { decision: 'approve', at: NOW + 4 } as const;
      await stores.callbacks.close('e-1', 'ask/0/0', answered);
      const late = { ...again, subject: { ...again.subject, openedAt: NOW + 5 } };
      await stores.executions.openCallback('e-1', 'ask/0/0', late);
      expect(await stores.executions.findCallback('e-1', 'ask/0/0')).toEqual({ ...again, answered });
      expect(await idsOf(stores)).toEqual(['e-2']);
    });

    test('and a question that is asked again for a shorter time', async () => {
      const stores = await create(NOW);
      const first = await open(stores, 'e-1');
      const subject = { ...first.subject, openedAt: NOW + 10 };
      const shorter = { callbackId: 'again', expiresAt: NOW + 30, subject };
      await stores.executions.openCallback('e-1', 'ask/0/0', shorter);
      expect(await stores.executions.findCallback('e-1', 'ask/0/0')).toEqual(shorter);
      // The first one, opened again by a replay.
      await stores.executions.openCallback('e-1', 'ask/0/0', first);
      expect(await stores.executions.findCallback('e-1', 'ask/0/0')).toEqual(shorter);
    });

    test('of all workflows, page by page', async () => {
      const stores = await create(NOW);
      const made = Array.from({ length: 30 }, (_, at) => `e-${String(at).padStart(2, '0')}`);
      for (const [at, id] of made.entries())
        await open(stores, id, { workflowId: `w-${at % 7}`, at: at % 5 });
      const found: string[] = [];
      const times: number[] = [];
      let after: ListPosition | undefined;
      do {
        const page = await stores.callbacks.list(null, 4, after);
        found.push(...page.callbacks.map(({ subject }) => subject.executionId));
        times.push(...page.callbacks.map(({ expiresAt }) => expiresAt));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(found.toSorted()).toEqual(made);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    test('past many of ended executions, and past expired ones', async () => {
      const stores = await create(NOW);
      for (let at = 1; at <= 5; at++) {
        await open(stores, `e-${at}`, { at });
        await stores.executions.finish(`e-${at}`, anExecutionEnd({ status: 'cancelled' }));
      }
      for (let at = 6; at <= 9; at++) await open(stores, `e-${at}`, { expiresAt: NOW - at });
      await open(stores, 'e-0', { at: 60 });
      expect(await idsOf(stores, 2)).toEqual(['e-0']);
    });
  });
};
