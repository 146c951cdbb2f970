import { emit } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { borrowCredentials } from '../../lib/engine/credentials.ts';
import type { PlanNode } from '../../lib/workflows/plan/plan.ts';
import { runGraph } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const planNode = {
  node: { credentialId: 'shop' },
  nodeType: { kind: 'action', credentialTypes: ['bearer'] },
} as unknown as PlanNode;

test('credentials are opened once, and again after a failure', async () => {
  const lent = { id: 'shop' } as never;
  let opened = 0;
  const open = async () => {
    opened++;
    if (opened === 1) throw new Error('not loaded');
    return { lend: async () => lent, scrub: <Value>(value: Value) => value };
  };
  const { borrow } = borrowCredentials({ open });
  await expect(borrow(planNode)).rejects.toThrow('not loaded');
  expect(await Promise.all([borrow(planNode), borrow(planNode)])).toEqual([lent, lent]);
  expect(opened).toBe(2);
});

test('credentials of a process that has none cannot be borrowed', async () => {
  const { borrow, scrub } = borrowCredentials(undefined);
  await expect(borrow(planNode)).rejects.toThrow('there are no credentials here');
  expect(scrub('a text')).toBe('a text');
});

test('a trigger borrows nothing: its credential verifies callers', () => {
  const { borrow } = borrowCredentials(undefined);
  expect(borrow({ ...planNode, nodeType: { ...planNode.nodeType, kind: 'trigger' } })).toBeNull();
});

describe('a node with a credential', () => {
  const lent = { id: 'shop' };
  const credentials = {
    open: async () => ({
      lend: async () => lent as never,
      scrub: <Value>(value: Value): Value => {
        const text = JSON.stringify(value);
        return text.includes('canary') ? JSON.parse(text.replaceAll('canary', '[redacted]')) : value;
      },
    }),
  };

  // holds: S13
  test('has it in every iteration, and its outputs have no secret and are frozen', async () => {
    const seen: unknown[] = [];
    const { nodes } = await runGraph({
      nodes: {
        call: {
          credentialTypes: ['bearer'],
          credentialId: 'shop',
          does: (_node, _input, { credential, iteration }) => {
            seen.push(credential);
            return emit({ [iteration < 2 ? 'again' : 'main']: { body: { key: 'canary' } } });
          },
        },
      },
      edges: ['start -> call', 'call.again -> call'],
      ports: { credentials },
    });
    expect(seen).toEqual([lent, lent, lent]);
    const outputs = nodes.at(-1)?.outputs as { readonly main: { readonly body: object } } | undefined;
    expect(outputs?.main).toEqual({ body: { key: '[redacted]' } });
    expect(Object.isFrozen(outputs?.main.body)).toBe(true);
  });

  test('has its whole time after the credential is loaded', async () => {
    const loading = aVirtualClock();
    const result = await runGraph({
      nodes: {
        call: {
          credentialTypes: ['bearer'],
          credentialId: 'shop',
          settings: { timeoutSeconds: 1 },
          does: async (_node, _input, { remainingMs }) => ({ left: remainingMs() }),
        },
      },
      edges: ['start -> call'],
      ports: {
        track: async (work) => work,
        credentials: {
          open: async () => ({
            lend: async () => {
              loading.block(800);
              return lent as never;
            },
            scrub: (value) => value,
          }),
        },
        services: {
          clock: loading.clock,
          ids: { next: () => 'id' },
          http: { request: () => Promise.reject(new Error('no network in tests')) },
        },
      },
    });
    expect(result.output).toEqual({ left: 1_000 });
  });
});
