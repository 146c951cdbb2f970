import { afterEach, expect, test } from '@jest/globals';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createRegistrationStore } from '../../lib/adapters/dynamodb/registrations/registration-store.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import { type Metered, startMeteredDynamoDb } from '../support/a-metered-dynamodb.ts';
import { aBell, aRegistrar, aWorkflowOf } from '../support/a-registrar.ts';
import { cases } from '../support/deep.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const MANY = cases(40, 120);

/** So many workflows of 20 kB, each with a trigger that is registered. */
const aStageOf = async (workflows: number) => {
  const database = await startEmbeddedDynamoDb('test');
  cleanups.push(database.stop);
  const meter = await startMeteredDynamoDb(database.endpoint, 'test');
  cleanups.push(meter.stop);
  const tables = tableNames('test');
  const client = createJsonClient({ region: 'local', endpoint: meter.endpoint });
  const stores = {
    registrations: createRegistrationStore(client, tables, systemClock),
    workflows: createWorkflowStore(client, tables, systemClock),
  };
  const service = aRegistrar({ stores });
  const idOf = (at: number) => `workflow-${String(at).padStart(4, '0')}`;
  const definitionOf = (at: number, tone: string) =>
    aWorkflowOf([aBell(tone)], { id: idOf(at), description: 'x'.repeat(20_000) });
  for (let at = 0; at < workflows; at++) await service.put(definitionOf(at, 'high'));
  const count = async (work: () => Promise<unknown>): Promise<Metered> => {
    meter.take();
    await work();
    return meter.take();
  };
  return { service, stores, definitionOf, idOf, count };
};

const costs = ({ reads, writes, readUnits, writeUnits }: Metered) => ({
  reads,
  writes,
  readUnits,
  writeUnits,
});

type Stage = Awaited<ReturnType<typeof aStageOf>>;

const puts: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  'a new workflow': ({ service, definitionOf }) => service.put(definitionOf(9_999, 'high')),
  'what is stored already': ({ service, definitionOf }) => service.put(definitionOf(1, 'high')),
  'a change of its trigger': ({ service, definitionOf }) => service.put(definitionOf(1, 'low')),
  'its removal': ({ service, idOf }) => service.remove(idOf(1)),
};

test('putting, changing and removing a workflow costs the same with many as with few', async () => {
  const [few, many] = [await aStageOf(3), await aStageOf(MANY)];
  for (const [what, put] of Object.entries(puts)) {
    const [ofFew, ofMany] = [await few.count(() => put(few)), await many.count(() => put(many))];
    expect(ofFew.reads).toBeGreaterThan(0);
    expect({ what, ...costs(ofMany) }).toEqual({ what, ...costs(ofFew) });
  }
});

test('a list of workflows, and a sweep without findings, only read pages', async () => {
  const { service, stores, count } = await aStageOf(MANY);
  const listed = await count(async () => expect(await stores.workflows.list()).toHaveLength(MANY));
  expect(listed.reads).toBe(1);
  expect(listed.readUnits).toBeLessThan(MANY * 0.03); // 2.4 MB of definitions are 300 units
  const swept = await count(() => service.sweep());
  expect(swept.writes).toBe(0);
  expect(swept.reads).toBeLessThanOrEqual(4); // 3 MB of workflows, and the registrations
});
