import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import nodeTimers, { promises as nodeTimersPromises } from 'node:timers';

/** Real milliseconds that a server takes before its first answer: it accepts no connection for so long after the first. */
const FIRST_ANSWER_MS = 150;

/** How many times as fast as the real one the clock of the process runs. */
const SPEED = 20;

/**
 * Makes this process a machine on which every server is slow to begin with and time runs out early: what passes only
 * because a machine is quick fails. In `jest.slow.config.js` each worker is such a process.
 */
export const slowDown = () => {
  delayFirstAnswers();
  speedUpClock();
};

const { setTimeout: realSetTimeout } = globalThis;

/** What each server holds back in the test that runs: what waits for its first answer; null once it may answer. */
let held = new WeakMap();

/** At the start of each test, so that the place of a test in its file makes no difference. */
export const slowDownAgain = () => {
  held = new WeakMap();
};

/** Of each server that listens in this process: of HTTP, HTTP/2, TLS, databases and mail alike. */
const delayFirstAnswers = () => {
  delayFirst(http.Server, 'request');
  delayFirst(net.Server, 'connection');
};

const delayFirst = ({ prototype }, delayed) => {
  const { emit } = prototype;
  prototype.emit = function (name, ...args) {
    if (name !== delayed) return emit.call(this, name, ...args);
    const known = held.get(this);
    if (known === null) return emit.call(this, name, ...args);
    const waiting = known ?? [];
    waiting.push(args);
    if (known !== undefined) return true;
    const ofThisTest = held.set(this, waiting);
    realSetTimeout(() => {
      ofThisTest.set(this, null);
      for (const each of waiting) {
        // One that has closed meanwhile, as the end of its test, has no more connections.
        if (name === 'connection' && !this.listening) each[0].destroy();
        else emit.call(this, name, ...each);
      }
    }, FIRST_ANSWER_MS);
    return true;
  };
};

const speedUpClock = () => {
  const RealDate = globalThis.Date;
  const start = RealDate.now();
  const now = () => start + (RealDate.now() - start) * SPEED;
  class QuickDate extends RealDate {
    constructor(...args) {
      super(...(args.length === 0 ? [now()] : args));
    }
    static now = now;
  }
  globalThis.Date = Object.defineProperty(QuickDate, 'name', { value: 'Date' });
  const { performance } = globalThis;
  const readPerformance = performance.now.bind(performance);
  performance.now = () => readPerformance() * SPEED;

  for (const name of ['setTimeout', 'setInterval']) {
    const real = nodeTimers[name];
    const quick = Object.assign((act, ms = 1, ...args) => real(act, ms / SPEED, ...args), {
      [nodeUtilPromisify]: (ms, ...args) => nodeTimersPromises[name](ms, ...args),
    });
    nodeTimers[name] = quick;
    globalThis[name] = quick;
    const later = nodeTimersPromises[name];
    nodeTimersPromises[name] = (ms = 1, ...args) => later(ms / SPEED, ...args);
  }
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    globalThis.setTimeout(() => controller.abort(reason), ms).unref();
    return controller.signal;
  };
  syncBuiltinESMExports();
};

const nodeUtilPromisify = Symbol.for('nodejs.util.promisify.custom');
