/** A map of bounded size: beyond it, the least recently used entries are evicted. No value is undefined. */
export class LruMap<Key, Value> {
  /** The entries, ordered by insertion: a used entry moves to the end. */
  readonly #entries = new Map<Key, Value>();
  readonly #maxWeight: number;
  readonly #weigh: (key: Key, value: Value) => number;
  #weight = 0;

  /**
   * @param maxWeight - the number of entries, unless they are weighed
   * @param weigh - an entry that weighs more than the maximum is not kept
   */
  constructor(maxWeight: number, weigh: (key: Key, value: Value) => number = () => 1) {
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.#weigh(key, value);
    if (weight > this.#maxWeight) return;
    this.#entries.set(key, value);
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(key, value);
  }
}
