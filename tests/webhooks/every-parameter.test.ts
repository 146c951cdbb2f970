import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { features } from '../../lib/webhooks/features/features.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { webhookTrigger } from '../../nodes/webhook/webhook-trigger.ts';
import { projectRoot } from '../support/run-command.ts';
import { readSample, sampleNames } from '../support/shown-workflows.ts';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const readAll = (folder: string): string[] =>
  readdirSync(join(projectRoot, folder)).map((name) => read(`${folder}/${name}`));

const docs = read('docs/webhooks.md');
/** Names of properties: `name: value`, `{ name }`. */
const inSuites = readAll('tests/e2e/suites').flatMap((text) => text.match(/\b\w+(?=: | \})/g) ?? []);
const inSamples = new Set(
  sampleNames
    .flatMap((name) => (readSample(name) as unknown as WorkflowDefinition).nodes)
    .filter(({ type }) => type === webhookTrigger.id)
    .flatMap(({ parameters = {} }) => Object.keys(parameters)),
);
const properties = webhookTrigger.schema.properties as JsonObject;

describe.each([...new Set([...Object.keys(properties), ...features.map(({ name }) => name)])])(
  'the parameter %s',
  (name) => {
    test('has a row in docs/webhooks.md', () => {
      expect(docs).toMatch(new RegExp(`^\\| \\[?\`${name}\``, 'm'));
    });

    test('is described in the JSON Schema of the trigger', () => {
      expect(properties[name]).toMatchObject({ description: expect.any(String) });
    });

    test('is in a sample workflow', () => {
      expect([...inSamples]).toContain(name);
    });

    test('is sent through the running local service', () => {
      expect(inSuites.includes(name)).toBe(true);
    });
  },
);
