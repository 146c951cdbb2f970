import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { StartError } from '../database/start-error.ts';
import type { JsonObject } from '../net/json.ts';

/** A schedule as it was created: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html */
export interface LocalSchedule {
  readonly name: string;
  readonly group: string;
  /** The body of the request. */
  readonly definition: JsonObject;
  /** When the schedule was created, in milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Documented at https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html */
export interface LocalRule {
  readonly name: string;
  readonly bus: string;
  readonly pattern: JsonObject;
  readonly isEnabled: boolean;
  /** The targets by id, as they were put. */
  readonly targets: Readonly<Record<string, JsonObject>>;
}

export interface LocalMessage {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: JsonObject;
  readonly receives: number;
  /** Invisible until then, milliseconds since the epoch. */
  readonly visibleAt: number;
}

/** Documented at https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html */
export interface LocalMapping {
  readonly uuid: string;
  /** ARN of the queue that the mapping reads. */
  readonly source: string;
  readonly definition: JsonObject;
}

interface SourcesState {
  /** Schedules by group and name. */
  readonly schedules: Map<string, LocalSchedule>;
  /** Rules by bus and name. */
  readonly rules: Map<string, LocalRule>;
  /** Queues by name; the first message is the oldest. */
  readonly queues: Map<string, LocalMessage[]>;
  readonly mappings: Map<string, LocalMapping>;
}

export interface SourcesStore {
  readonly state: SourcesState;
  /** Saves the state; call it after each change. */
  save(): void;
}

/** The schema versions of files that a release reads; it writes the newest. */
interface FileVersions {
  readonly oldest: number;
  readonly newest: number;
}

/**
 * Opens the state of the trigger sources, a JSON file.
 *
 * @param file - null to keep the state in memory
 */
export const openSourcesStore = (
  file: string | null,
  versions: FileVersions = { oldest: 1, newest: 1 },
): SourcesStore => {
  const saved = file === null ? {} : readSaved(file, versions);
  const state: SourcesState = {
    schedules: new Map(saved.schedules),
    rules: new Map(saved.rules),
    queues: new Map(saved.queues),
    mappings: new Map(saved.mappings),
  };
  return {
    state,
    save: () => {
      if (file === null) return;
      const text = JSON.stringify({ schema: versions.newest, ...state }, (_key, value) =>
        value instanceof Map ? [...value] : value,
      );
      writeFileSync(`${file}.new`, text, { mode: 0o600 }); // messages of queues
      renameSync(`${file}.new`, file); // atomic: a crash leaves either the old or the new file
    },
  };
};

interface Saved {
  /** The schema version; old files lack it. */
  readonly schema?: number;
  readonly schedules?: [string, LocalSchedule][];
  readonly rules?: [string, LocalRule][];
  readonly queues?: [string, LocalMessage[]][];
  readonly mappings?: [string, LocalMapping][];
}

const readSaved = (file: string, { oldest, newest }: FileVersions): Saved => {
  try {
    const saved: Saved = JSON.parse(readFileSync(file, 'utf8'));
    if (saved.schema !== undefined && (saved.schema < oldest || saved.schema > newest))
      throw new StartError(
        `${file} has schema version ${saved.schema}; this release reads versions ${oldest} to ${newest}. Start the release that created it, or choose another data folder.`,
      );
    return saved;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
};
