import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import { loadRegistry } from '../../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../../nodes/installed.ts';
import { validateWorkflow } from '../../../packages/authoring/validation/validate.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { silent } from '../../support/a-run.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { aWebhookService, type ServiceOptions } from '../../support/a-webhook-service.ts';

const aServiceWith = async (onlyIf: string, options?: ServiceOptions) => {
  const service = await aWebhookService(options);
  await service.put({ webhook: { onlyIf } });
  return service;
};

describe('a request', () => {
  const event = aJsonEvent(
    { action: 'opened', amount: 7 },
    { headers: { 'x-kind': 'order', 'idempotency-key': '1' }, query: 'dry=no' },
  );

  test.each([
    ["body.action = 'opened'"],
    ['body.amount > 5 and headers.`x-kind` = "order"'],
    ["queryParams.dry = 'no'"],
    ["remoteAddress = '192.0.2.7'"],
    ["$execution.workflowId = 'shop'"],
    ['$exists(body.action)'],
  ])('for which %s is true starts a run', async (onlyIf) => {
    const service = await aServiceWith(onlyIf);
    expect(await service.call(event)).toMatchObject({ statusCode: 200 });
    expect(service.executions.records()).toHaveLength(1);
  });

  test.each([["body.action = 'closed'"], ['body.amount > 8'], ['$exists(body.gone)']])(
    'for which %s is false is skipped: no run, and no delivery is claimed',
    async (onlyIf) => {
      const claims: string[] = [];
      const deliveries = {
        claim: async (claim: { deliveryId: string }) => {
          claims.push(claim.deliveryId);
          return claim as never;
        },
      };
      const service = await aServiceWith(onlyIf, { spoilt: { deliveries } });
      const answer = await service.call(event);
      expect(answer).toMatchObject({ statusCode: 200 });
      expect(bodyOf(answer)).toEqual({ skipped: true });
      expect(service.executions.records()).toEqual([]);
      expect(claims).toEqual([]);
    },
  );

  test.each([
    ['body.gone'],
    ['body.action'],
    ['body.amount'],
    ['1'],
    ['[true]'],
    ["$error('no')"],
    ['$number(body.action) = 1'],
    ['($f := function($n) { $f($n + 1) }; $f(0))'],
    ['$count([1..100000][$ > 1]) > 0'], // more steps than for a request, fewer than for a node
  ])('for which %s is not a boolean is refused, and starts nothing', async (onlyIf) => {
    const service = await aServiceWith(onlyIf);
    expect(await service.call(event)).toEqual(aProblem(422, 'filter-undecided'));
    expect(service.executions.records()).toEqual([]);
  });
});

test.each([
  ['body.(', 'no expression'],
  ['{{ body.a }}', 'an expression in braces'],
  ["action = 'opened'", 'a field that requests do not have'],
  ['$nodes.other.a = 1', 'the output of a node'],
  ['', 'nothing'],
])('%j is refused when it is stored: %s', async (onlyIf) => {
  const { findNodeType } = await loadRegistry(installedPlugins, { logger: silent, clock: systemClock });
  const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: { onlyIf } }];
  const workflow = { id: 'x', name: 'x', enabled: true, nodes, connections: [] };
  const { problems } = await validateWorkflow(workflow, findNodeType);
  expect(problems).toMatchObject([{ path: '/nodes/0/parameters/onlyIf', message: expect.any(String) }]);
});
