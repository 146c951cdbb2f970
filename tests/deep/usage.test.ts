import { expect, test } from '@jest/globals';
import { countUnits } from '../../scripts/bench/units/writes.ts';

/** Writes that no record shows: a token of a rate limit, and the place of a bounded run. */
const untold: Readonly<Record<string, number>> = {
  '… with a rate limit': 1,
  '… with a bound on concurrent runs': 1,
};

test('the record of a run says what DynamoDB, Lambda and the durable engine bill for it', async () => {
  for (const { title, units, used, background } of await countUnits()) {
    const { writeUnits, durableOperations, invocations, objectsWritten } = used.billed;
    expect({ title, writeUnits: writeUnits + (untold[title] ?? 0) }).toEqual({
      title,
      writeUnits: units.writeUnits,
    });
    expect({ title, durableOperations, invocations, objectsWritten }).toEqual({
      title,
      durableOperations: background?.operations ?? 0,
      invocations: 1 + (background?.invocations ?? 0),
      objectsWritten: title === 'express, a request of 50 kB' ? 1 : 0,
    });
  }
});

test('with an event bus, the record of a run is at most two write units off', async () => {
  for (const { title, withBus, usedWithBus } of await countUnits()) {
    const off = withBus.writeUnits - usedWithBus.billed.writeUnits;
    expect({ title, off: Math.abs(off) <= 2 }).toEqual({ title, off: true });
  }
});
