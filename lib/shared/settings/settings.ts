import type { JsonValue } from '@hookloom/plugin-kit';
import { type CacheOptions, createCache } from '../cache.ts';
import { isAppError } from '../errors.ts';

/** A value of this stage that workflows name: `$vars.name` in expressions. Never a secret. */
export interface Variable {
  /** The name: a letter or `_`, then up to 63 letters, digits and `_`. */
  readonly name: string;
  readonly type: VariableType;
  /** The value, of the type. */
  readonly value: JsonValue;
  readonly description: string | null;
  /** When the value expires, as an operator has said: ISO 8601, UTC. Nothing but a notice follows from it. Absent if not known. */
  readonly expiresAt?: string;
  /** When it was set last, ISO 8601. */
  readonly changedAt: string;
  /** ARN of the caller that set it last; null locally. */
  readonly changedBy: string | null;
  /** The revision of all variables that it was set last in, which no other content of this variable has. */
  readonly revision: number;
}

export const VARIABLE_TYPES = ['string', 'number', 'boolean', 'json'] as const;
export type VariableType = (typeof VARIABLE_TYPES)[number];

export interface DisabledPlugin {
  readonly id: string;
  /** When it was disabled, ISO 8601. */
  readonly disabledAt: string;
  /** ARN of the caller that disabled it; null locally. */
  readonly disabledBy: string | null;
  /** Why; null if the operator did not say. */
  readonly message: string | null;
}

export interface Settings {
  readonly variables: readonly Variable[];
  readonly plugins: readonly DisabledPlugin[];
}

export interface Setting<Content> {
  readonly content: Content;
  /** Counts the changes of the setting, from 1; 0 if it was never set. It only grows. */
  readonly revision: number;
}

/** All methods throw AppError `STORE_UNAVAILABLE` if the store can't be reached. */
export interface SettingsReader {
  /** Finds a setting, perhaps without the changes of the last second. @returns an empty list if it was never set */
  find<Name extends keyof Settings>(name: Name): Promise<Setting<Settings[Name]>>;
}

export interface SettingsStore extends SettingsReader {
  /** Finds a setting with all its changes. */
  findLatest<Name extends keyof Settings>(name: Name): Promise<Setting<Settings[Name]>>;
  /**
   * Replaces the revision before this one.
   *
   * @returns false, with nothing changed, if another change was faster
   */
  put<Name extends keyof Settings>(name: Name, setting: Setting<Settings[Name]>): Promise<boolean>;
}

/** How long the last known setting is used while its table can't be read. */
const STALE_MS = 300_000;

/**
 * Reads a setting once per `ttlMs` milliseconds and sandbox.
 *
 * @returns a reader that throws AppError `STORE_UNAVAILABLE` if the setting can't be read, and was not read within five minutes
 */
export const rememberSetting = <Name extends keyof Settings>(
  settings: SettingsReader,
  name: Name,
  timing: Pick<CacheOptions<never>, 'ttlMs' | 'clock' | 'random'>,
): (() => Promise<Settings[Name]>) => {
  const lookUp = createCache<Settings[Name]>({
    ...timing,
    maxEntries: 1,
    stale: {
      maxAgeMs: Math.max(STALE_MS, timing.ttlMs),
      mayPass: (error) => isAppError(error, 'STORE_UNAVAILABLE'),
    },
  });
  return () => lookUp(name, async () => (await settings.find(name)).content);
};
