import type { Clock } from '@hookloom/plugin-kit';

/**
 * The clock of an execution, and when its time is up. It never runs backwards, although replays happen on machines with
 * different clocks. All times are in milliseconds since the epoch.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #endsAt: number;
  #now: number;
  /** Created on demand: an execution of quick nodes needs none. */
  #timer: AbortController | undefined;

  /** @param since - when the timeout started: at the start of the execution, even in a replay */
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

  /** Whether the time is up by the actual clock, which expressions check while they are evaluated. */
  readonly isUpNow = (): boolean => this.#clock.now() > this.#endsAt;

  /** Calls `onUp` when the time is up, unless stopped before. A second call has no effect. */
  start(onUp: () => void): void {
    if (this.#timer !== undefined) return;
    this.#timer = new AbortController();
    this.#clock.sleep(Math.max(0, this.#endsAt - this.#clock.now()), this.#timer.signal).then(onUp, () => {}); // the execution ended before
  }

  stop(): void {
    this.#timer?.abort('the execution has ended'); // an explicit reason: the default one costs a stack trace
  }
}
