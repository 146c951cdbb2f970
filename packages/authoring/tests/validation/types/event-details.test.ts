import { readFileSync } from 'node:fs';
import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, expect, test } from '@jest/globals';
import { loadNodeTypes } from '../../../../cli/plugins/node-types.ts';
import { validateWorkflow } from '../../../validation/validate.ts';

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const uploads = { source: ['aws.s3'], 'detail-type': ['Object Created', 'Object Deleted'] };

const read = async (text: string, pattern: JsonObject = uploads) => {
  const nodes = [
    { id: 'start', type: 'eventTrigger', parameters: { pattern } },
    { id: 'read', type: 'set', parameters: { values: { x: text } } },
  ];
  const connections = [{ sourceNodeId: 'start', targetNodeId: 'read' }];
  const { problems, warnings } = await validateWorkflow(
    { id: 'w', name: 'W', nodes, connections },
    findNodeType,
  );
  expect(problems).toEqual([]);
  return warnings.map(({ message }) => message);
};

test.each([
  ['{{ event.detail.bucket = "uploads" }}', /a map with the string "uploads"/],
  ['{{ event.detail.object.key.name }}', /key has no "name", since it is a string/],
  ['{{ $uppercase(event.detail.object.size) }}', /takes a string, but .*size is a number/],
  ['{{ event.resources = "arn" }}', /a list/],
])('%s of an event of S3 gets a warning', async (text, message) => {
  expect(await read(text)).toEqual([expect.stringMatching(message)]);
});

test('of fields that AWS may add, and of what else the source sends, nothing is said', async () => {
  expect(await read('{{ event.detail.bucket.`aws-generated-tags`.x }}')).toEqual([]);
  expect(await read('{{ event.detail.`event-version` }}')).toEqual([]);
  const text = '{{ event.detail.bucket = "uploads" }}';
  expect(await read(text, { source: ['aws.s3'] })).toEqual([]);
  expect(await read(text, { ...uploads, 'detail-type': ['AWS API Call via CloudTrail'] })).toEqual([]);
  expect(await read(text, { ...uploads, 'detail-type': [{ prefix: 'Object' }] })).toEqual([]);
  expect(await read(text, { ...uploads, source: ['aws.s3', 'my.app'] })).toEqual([]);
  expect(await read(text, { ...uploads, source: [{ prefix: 'aws.' }] })).toEqual([]);
});

test('the sample event of the project has the fields that are known', async () => {
  const file = new URL('../../../../../events/triggers/upload.json', import.meta.url);
  const { detail, ...event } = JSON.parse(readFileSync(file, 'utf8'));
  const { source, 'detail-type': type } = event;
  const pattern = { source: [source], 'detail-type': [type] };
  for (const [part, fields] of Object.entries<JsonObject>(detail))
    for (const [name, value] of Object.entries(fields)) {
      const other = typeof value === 'number' ? '"a"' : '1';
      const [message] = await read(`{{ event.detail.${part}.${name} = ${other} }}`, pattern);
      expect(message).toContain(`a ${typeof value} with`);
    }
});
