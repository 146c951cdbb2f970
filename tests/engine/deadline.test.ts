import { expect, test } from '@jest/globals';
import { Deadline } from '../../lib/engine/session.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const START = 1_700_000_000_000;

/** A deadline of 1,000 ms, and its clock, which can be set back too. */
const aDeadline = (since = START) => {
  const time = aVirtualClock(START);
  let up = 0;
  const deadline = new Deadline(time.clock, since, 1_000);
  return { ...time, deadline, start: () => deadline.start(() => up++), up: () => up };
};

test('the time is up after the timeout, by the clock as it was last read', () => {
  const { deadline, block } = aDeadline();
  block(1_000);
  expect([deadline.readClock(), deadline.isUp, deadline.isUpNow()]).toEqual([START + 1_000, false, false]);
  block(1);
  expect([deadline.now, deadline.isUp, deadline.isUpNow()]).toEqual([START + 1_000, false, true]);
  expect([deadline.readClock(), deadline.now, deadline.isUp]).toEqual([START + 1_001, START + 1_001, true]);
});

// holds: S12
test('the time never runs backwards', () => {
  const { deadline, block } = aDeadline();
  block(500);
  deadline.readClock();
  block(-300);
  expect([deadline.readClock(), deadline.now]).toEqual([START + 500, START + 500]);
});

test.each([
  ['earlier, in another process', START - 400, 600],
  ['so much earlier that the time is up', START - 5_000, 0],
  ['later, by the clock of another machine', START + 400, 1_000],
])('an execution that started %s has its own timeout', async (_case, since, elapsedMs) => {
  const { start, up, run, clock } = aDeadline(since);
  start();
  await run(clock.sleep(Math.max(0, elapsedMs - 1)));
  expect(up()).toBe(elapsedMs === 0 ? 1 : 0);
  await run(clock.sleep(2));
  expect(up()).toBe(1);
});

test('the end of the time is told once, and not after the end of the execution', async () => {
  const { deadline, start, up, run, clock, pending } = aDeadline();
  start();
  start();
  expect(pending()).toBe(1);
  deadline.stop();
  await run(clock.sleep(5_000));
  expect(up()).toBe(0);
});

test('an execution that ends before its timer was needed stops nothing', () => {
  expect(() => aDeadline().deadline.stop()).not.toThrow();
});
