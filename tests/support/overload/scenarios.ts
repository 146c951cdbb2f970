import type { OverQuota } from './modelled-lambda.ts';
import type { Scenario } from './simulate-overload.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Unscaled = Omit<Scenario, 'scale'>;

/** A quarter of an hour above the quota of 300 durable starts a second, then two thirds of it. */
export const aBurst = (overQuota: OverQuota, hours = 12): Unscaled => ({
  mode: 'durable',
  load: [
    { untilMs: 15 * MINUTE, perSecond: 400 },
    { untilMs: hours * HOUR, perSecond: 200 },
  ],
  quotas: { overQuota },
  drainsFromMs: 15 * MINUTE,
  endMs: hours * HOUR,
});

/** An hour of it: what begins at its end has waited for longer than Lambda keeps it. */
export const aLongBurst = (overQuota: OverQuota): Unscaled => ({
  mode: 'durable',
  load: [
    { untilMs: HOUR, perSecond: 400 },
    { untilMs: 6 * HOUR, perSecond: 100 },
  ],
  quotas: { overQuota },
  drainsFromMs: HOUR,
  endMs: 6 * HOUR,
});

/** A webhook that is paused for an hour, and stores. */
export const aPause: Unscaled = {
  mode: 'express',
  durationMs: 100,
  load: [{ untilMs: HOUR, perSecond: 500 }],
  paused: [0, HOUR],
};

/** Its runs are begun as fast as Lambda may start them. */
export const aPauseOfDurable = (overQuota: OverQuota): Unscaled => ({
  ...aPause,
  mode: 'durable',
  durationMs: 1_000,
  load: [{ untilMs: HOUR, perSecond: 200 }],
  quotas: { overQuota },
});

/** Ten minutes of load, an hour without Lambda or the stores, and ten minutes more. */
const anOutage = (of: 'lambdaDown' | 'storeDown', mode: Scenario['mode'], perSecond: number): Unscaled => ({
  mode,
  durationMs: mode === 'express' ? 100 : 1_000,
  isKeyed: true,
  load: [{ untilMs: 80 * MINUTE, perSecond }],
  [of]: [10 * MINUTE, 70 * MINUTE],
  drainsFromMs: 70 * MINUTE,
});

export const aLambdaOutage = anOutage('lambdaDown', 'express', 500);
export const aLambdaOutageOfDurable = anOutage('lambdaDown', 'durable', 200);
export const aStoreOutage = anOutage('storeDown', 'express', 500);
export const aStoreOutageOfDurable = anOutage('storeDown', 'durable', 200);

export const scenarios: readonly { readonly title: string; readonly scenario: Unscaled }[] = [
  { title: 'burst, queued in order', scenario: aBurst('fifo') },
  { title: '… without the sweeper', scenario: { ...aBurst('fifo'), sweeps: false } },
  { title: 'burst, queued with backoff', scenario: aBurst('backoff') },
  { title: '… without the sweeper', scenario: { ...aBurst('backoff'), sweeps: false } },
  { title: 'burst, refused with 429', scenario: aBurst('refuse') },
  { title: '… requests with a key', scenario: { ...aBurst('refuse'), isKeyed: true } },
  { title: 'burst of an hour, queued in order', scenario: aLongBurst('fifo') },
  { title: '… queued with backoff', scenario: aLongBurst('backoff') },
  { title: '… refused, requests with a key', scenario: { ...aLongBurst('refuse'), isKeyed: true } },
  { title: 'pause of an hour, 500/s, express', scenario: aPause },
  { title: '… 200/s, durable, queued with backoff', scenario: aPauseOfDurable('backoff') },
  { title: '… refused with 429', scenario: aPauseOfDurable('refuse') },
  { title: 'no Lambda for an hour, 500/s, express', scenario: aLambdaOutage },
  { title: '… requests without a key', scenario: { ...aLambdaOutage, isKeyed: false } },
  { title: '… 200/s, durable', scenario: aLambdaOutageOfDurable },
  { title: 'no store for an hour, 500/s, express', scenario: aStoreOutage },
  { title: '… 200/s, durable', scenario: aStoreOutageOfDurable },
];
