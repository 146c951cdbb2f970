import type { EventSource } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { expect, test } from '@jest/globals';
import {
  findRegisteringSource,
  wantedRegistrations,
} from '../../../lib/triggers/registrations/registration.ts';
import { aBell, aRegistrar, aWorkflowOf } from '../../support/a-registrar.ts';

const source: EventSource = { toInput: (event) => event, toKey: ({ id }) => String(id) };
const register = () => Promise.resolve();

const found = await aRegistrar().parts.loadNodeTypes();
const bell = found('bell');
const firedBy = {
  bell: bell?.firedBy,
  action: null,
  webhook: 'request',
  pattern: source,
  registers: { ...source, register },
  unregisters: { ...source, unregister: register },
} as const;
const findNodeType: FindNodeType = (nodeType) =>
  bell !== null && Object.hasOwn(firedBy, nodeType)
    ? { ...bell, firedBy: firedBy[nodeType as keyof typeof firedBy] ?? null }
    : null;

test.each<[string, boolean]>([
  ['bell', true],
  ['action', false],
  ['webhook', false],
  ['pattern', false],
  ['registers', false],
  ['unregisters', false],
  ['not installed', false],
])('whether the node type %j registers its triggers: %j', (type, registers) => {
  expect(findRegisteringSource(type, findNodeType) !== null).toBe(registers);
  const wanted = wantedRegistrations(aWorkflowOf([aBell('high', { type })]), findNodeType);
  expect(wanted).toHaveLength(registers ? 1 : 0);
});
