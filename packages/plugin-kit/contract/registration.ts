import { brandError, hasBrand } from './errors.ts';
import type { JsonObject } from './json.ts';

/** The trigger that an event is for. */
export interface TriggerAddress {
  readonly workflowId: string;
  readonly triggerNodeId: string;
}

/** A trigger, with the name of its registration. */
export interface RegisteredTrigger extends TriggerAddress {
  /**
   * 43 characters of `A-Z a-z 0-9 _ -`, determined by the trigger and its parameters; after `2.` for a type with `form: 2`. For a type with `resourceOf`, it
   * is the same for all triggers of that resource.
   */
  readonly name: string;
  /** The trigger's parameters as stored. */
  readonly parameters: JsonObject;
}

/** A request to one of AWS's HTTP APIs, without host and signature. */
export interface RegistrationRequest {
  /** The name used in the endpoint and the signature: `scheduler`, `events`, `lambda`, `sqs`. */
  readonly service: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path with its leading slash, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of the request, sent as JSON. */
  readonly body?: JsonObject;
}

/** Where registrations are made: one stage of the service, in one account and region. */
export interface RegistrationContext {
  /** Prefix that the names of everything created must have: `SERVICE-STAGE`. */
  readonly prefix: string;
  /** Partition of AWS: `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  readonly accountId: string;
  /** The function that receives the events. An event names its trigger under `hookloom`: see {@link toEnvelope}. */
  readonly dispatchArn: string;
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** Signed with the keys of the process. An error status is an answer, with the name of the error as `__type`. @throws Error when no answer arrives */
  callAws(request: RegistrationRequest): Promise<{ readonly status: number; readonly body: JsonObject }>;
  /** The schedules of the stage, for triggers that have the parameters of `scheduleTrigger`, as those of `createPollTrigger`. */
  readonly schedules: {
    /** Makes or updates the schedule of a trigger. @throws RegistrationRefused if its parameters are no schedule */
    put(trigger: RegisteredTrigger): Promise<void>;
    /** Removes it if it exists. */
    remove(trigger: RegisteredTrigger): Promise<void>;
    /** Finds out whether it fires. */
    inspect(trigger: RegisteredTrigger): Promise<FoundRegistration>;
  };
}

/** Whether what a trigger has registered fires it: `off` if it was switched off, `missing` if it was deleted. */
export type FoundRegistration = 'on' | 'off' | 'missing';

/** What an event must carry under `hookloom` so that it reaches its trigger. */
export const toEnvelope = ({ workflowId, triggerNodeId, name }: RegisteredTrigger) => ({
  hookloom: { workflowId, triggerNodeId, registration: name },
});

/** A registration that is refused because of a parameter's value. */
export class RegistrationRefused extends Error {
  /** JSON Pointer (RFC 6901) to the parameter that causes the problem; null if no single one does. */
  readonly path: string | null;

  /** @param message - what is wrong, and what to do; the author of the workflow reads it */
  constructor(message: string, path: string | null = null) {
    super(message);
    this.name = 'RegistrationRefused';
    this.path = path;
    brandError(this, 'RegistrationRefused');
  }
}

export const isRegistrationRefused = (thrown: unknown): thrown is RegistrationRefused =>
  hasBrand(thrown, 'RegistrationRefused');
