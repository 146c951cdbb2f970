import { describe, expect, test } from '@jest/globals';
import { formatMillion, printCostTables } from '../../../scripts/cost/cost-tables.ts';
import { fillPlaces, findDifferences } from '../../../scripts/cost/places.ts';

describe('dollars of a million runs', () => {
  test.each<[number | null, string]>([
    [0.0000048405, '4.84'],
    [0.00000085, '0.85'],
    [0.000099994, '99.99'],
    [0.0001006, '101'],
    [0.001276, '1,276'],
    [null, '–'],
  ])('%d each are %s', (dollars, text) => {
    expect(formatMillion(dollars)).toBe(text);
  });
});

test('a run is a row with its total on each engine, and one with the parts', () => {
  const tables = printCostTables(
    [
      {
        title: 'durable',
        nodes: 1,
        effectfulNodes: 1,
        waitSeconds: 0,
        units: { writeUnits: 6, readUnits: 1 },
        withBus: { writeUnits: 8, readUnits: 1 },
        stored: { executions: 2_000, deliveries: 0, blobs: 0, blobPuts: 0, blobGets: 0 },
        background: { invocations: 1, operations: 2, bytes: 1_234 },
      },
    ],
    57,
    [{ rate: 1_000, writeUnits: [0.00191, 2] }],
  );
  expect(tables['cost-statistics']?.split('\n').at(-1)).toBe('| 1,000 | 0.0019 | 2 |');
  expect(tables['cost-totals']?.split('\n')).toEqual([
    '| a million runs | Hookloom | with an event bus | Step Functions Standard | Step Functions Express |',
    '|---|---|---|---|---|',
    '| durable | 25.01 | 26.91 | 51.00 | 2.10 |',
  ]);
  expect(tables['cost-parts']?.split('\n').at(-1)).toBe(
    '| durable | 1.00 | 2.47 | 16.31 (2 operations, 1.23 kB) | 3.88 (6 write units, 1 read unit) |  | 1.35 |',
  );
});

describe('a marked section of a page', () => {
  const page = 'Before\n\n<!-- a -->\n\nold\n\n<!-- /a -->\n\nAfter\n';

  test('is filled in, and nothing else changes', () => {
    const filled = fillPlaces(page, { a: 'fresh' });
    expect(filled).toBe(page.replace('old', 'fresh'));
    expect(fillPlaces(filled, { a: 'fresh' })).toBe(filled);
  });

  test('must exist', () => {
    expect(() => fillPlaces(page, { b: 'fresh' })).toThrow('<!-- b -->');
  });

  test('differs in the lines that only one version has', () => {
    expect(findDifferences('a\nb\nc', 'a\nB\nc')).toEqual(['- b', '+ B']);
    expect(findDifferences(page, page)).toEqual([]);
  });
});
