import type { Clock } from '@hookloom/plugin-kit';

/**
 * The time of an execution, and when it is up. It never goes back: replays on several machines have different clocks. All
 * times are in milliseconds since the epoch.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #endsAt: number;
  #now: number;
  /** Created on demand: an execution of quick nodes needs none. */
  #timer: AbortController | undefined;

  /** @param since - start of the timeout: of the execution, since a replay is no new start */
  constructor(clock: Clock, since: number, timeoutMs: number) {
    this.#clock = clock;
    this.#now = clock.now();
    this.#endsAt = Math.min(this.#now, since) + timeoutMs;
  }

  /** The time at the last `readClock`. */
  get now(): number {
    return this.#now;
  }

  readClock(): number {
    const now = this.#clock.now();
    if (now > this.#now) this.#now = now;
    return this.#now;
  }

  get isUp(): boolean {
    return this.#now > this.#endsAt;
  }

  /** The same by the clock itself: expressions check it while they are evaluated. */
  readonly isUpNow = (): boolean => this.#clock.now() > this.#endsAt;

  /** Calls back when the time is up, unless it is stopped before. A second call has no effect. */
  start(onUp: () => void): void {
    if (this.#timer !== undefined) return;
    this.#timer = new AbortController();
    this.#clock.sleep(Math.max(0, this.#endsAt - this.#clock.now()), this.#timer.signal).then(onUp, () => {}); // the execution ended before
  }

  stop(): void {
    this.#timer?.abort('the execution has ended'); // an explicit reason: the default one costs a stack trace
  }
}
