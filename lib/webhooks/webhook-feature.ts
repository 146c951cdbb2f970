import type {
  Clock,
  Files,
  HttpClient,
  JsonObject,
  JsonValue,
  LentCredential,
  Logger,
} from '@hookloom/plugin-kit';
import type { ExecutionResult } from '../engine/result.ts';
import type { UploadStore } from '../executions/files/upload-store.ts';
import type { HeldQueues } from '../executions/held/held-queues.ts';
import type { NewExecution } from '../executions/lifecycle/new-execution.ts';
import type { ExecutionStore, Hold } from '../executions/record/execution-store.ts';
import type { Answer } from '../shared/answer.ts';
import type { Accepted } from './answer-run.ts';
import type { BodyFiles } from './body/body-files.ts';
import type { SlotStore } from './limits/slots.ts';
import type { TakeToken } from './limits/token-bucket.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookRequest } from './webhook-request.ts';

/** A request at a webhook, before its body is parsed. */
export interface Arrival {
  readonly request: WebhookRequest;
  readonly webhook: Webhook;
  /** The id of the secret that the caller was authenticated by; at the stage `verify`, null without authentication. */
  readonly secretId?: string | null;
  /** Adds headers to the answer, whatever it will be. */
  addHeaders(headers: Answer['headers']): void;
}

/** A request whose body is inflated. */
export interface Received extends Arrival {
  /** The request with the body that is parsed: not compressed, and without `content-encoding`. */
  readonly content: WebhookRequest;
  readonly parsers: BodyParsers;
}

/** Parsers of other layers, with their limits. Each throws. */
export interface BodyParsers {
  /** @throws AppError `BODY_INVALID` | `BODY_TOO_DEEP` */
  json(text: string): JsonValue;
  /** Limits a text of many JSON values, but for its depth. @throws AppError `BODY_INVALID` */
  limitJson(text: string): void;
  /** @throws RangeError for text that is not well-formed, with a message about `it` */
  xml(text: string): Promise<JsonObject>;
  /** Levels of nesting of a body, which `json` checks itself. */
  readonly maxDepth: number;
}

export interface ParsedBody {
  readonly body: JsonValue;
  /** Further keys of the trigger's output. */
  readonly more?: JsonObject;
  /** The execution that the request starts, where the body belongs to one: in place of a delivery's key. */
  readonly executionId?: string;
  /** What of the body becomes a file: `body` has descriptions in their place. */
  readonly files?: BodyFiles;
  /** The key of the delivery where neither the request nor the trigger name one. */
  readonly deliveryKey?: string;
  /** What a repeated delivery repeats, in place of the bytes of the body. */
  readonly deliveryContent?: string;
}

/** A request whose body is parsed. */
interface Parsed extends Arrival {
  /** The trigger's output. */
  readonly input: JsonObject;
}

/** How the caller of a webhook that answers with a result waits for it. */
interface Waiting {
  readonly limitMs: number;
  /** The run is one in the background, which goes on when the caller is answered. */
  readonly isInBackground: boolean;
}

/** A request whose execution is stored and dispatched. */
export interface AcceptedRequest extends Accepted {
  readonly execution: NewExecution;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly logger: Logger;
}

/** A run that has ended, or has made its response. */
interface AnsweringRun {
  readonly executionId: string;
  readonly result: ExecutionResult;
  /** Opens the files of the execution. */
  readonly openFiles: () => Pick<Files, 'open'>;
}

/** How a request is answered that has passed all checks. */
export interface AnswerStages {
  readonly waiting: Waiting;
  /** Answers in place of the 202, with `onReceived`. Never throws: the execution is stored. */
  readonly acknowledge: (accepted: AcceptedRequest) => Promise<Answer | null> | Answer | null;
  /** Answers in place of the output of the last node. */
  readonly present: (run: AnsweringRun) => Promise<Answer | null> | Answer | null;
}

/** A request that starts an execution. */
export interface Starting extends Parsed {
  readonly executionId: string;
  /** Whether a repeated delivery names the same execution, which may have started then. */
  readonly isRepeatable: boolean;
  /** It runs in this process, while the caller waits. */
  readonly isInline: boolean;
  /** How another feature holds the execution; null when none does. */
  readonly held: Hold | null;
}

/**
 * The stages of a request at which a feature takes part. An answer ends the request: no later stage is reached, and nothing is
 * started. Each throws AppError.
 */
export interface Stages extends Partial<Omit<AnswerStages, 'waiting'>> {
  /** Headers with a credential that the feature has checked, in lower case: redacted for everything downstream. */
  readonly secretHeaders?: readonly string[];
  /** Of the largest body, as received or inflated; of several limits, the lowest counts. */
  readonly maxBodyBytes?: number;
  /** Before authentication, so cheap. */
  readonly admit?: (arrival: Arrival) => Promise<Answer | null> | Answer | null;
  /** After authentication, over the bytes as received. */
  readonly verify?: (arrival: Arrival) => Promise<Answer | null> | Answer | null;
  /** Parses the body in another way; null to leave it to the others. */
  readonly parse?: (received: Received) => Promise<ParsedBody | null> | ParsedBody | null;
  /** After parsing. */
  readonly judge?: (parsed: Parsed) => Promise<Answer | null> | Answer | null;
  readonly waiting?: Partial<Waiting>;
  /** After the delivery is claimed; for a repeated one, too. Says why the execution is held; null to dispatch it. */
  readonly start?: (starting: Starting) => Promise<Hold | null>;
}

/** What features use of the service. */
export interface FeaturePorts {
  readonly clock: Clock;
  readonly http: HttpClient;
  readonly credentials: SenderCredentials;
  readonly takeToken: TakeToken;
  readonly slots: SlotStore;
  readonly openUploads: () => UploadStore;
  readonly queues: Pick<HeldQueues, 'measure' | 'enter'>;
  readonly executions: Pick<ExecutionStore, 'find'>;
  /** See `cancelExecution`. */
  readonly cancelExecution: (executionId: string) => Promise<void>;
}

/** The credentials that a sender's requests are verified with: known, not hashed. */
interface SenderCredentials {
  /** @param reading - see `CredentialReading` of the engine */
  open(reading?: { readonly maxWaitMs?: number }): Promise<{
    /**
     * @param types - the types that are taken
     * @throws Error `CredentialMissing`, `CredentialUnusable` or `CredentialUnavailable`
     */
    lend(credentialId: string, types: readonly string[]): Promise<LentCredential>;
  }>;
}

/**
 * A feature of webhooks: what a parameter of the trigger adds to the way of a request.
 *
 * @param rule - the parameter's value, checked when the workflow was stored
 */
export type WebhookFeature = (rule: JsonValue, ports: FeaturePorts) => Stages;

/** Opens the features of a webhook, once for each version of its workflow. @throws AppError `WEBHOOK_MISCONFIGURED` */
export type OpenFeatures = (webhook: Webhook) => Promise<OpenStages>;

/** The stages of all features of a webhook. */
export type OpenStages = Required<Omit<Stages, keyof AnswerStages>> & AnswerStages;

const nothing = () => null;

/** The time limit is that of the run. */
export const withoutFeatures: OpenStages = {
  secretHeaders: [],
  maxBodyBytes: Number.POSITIVE_INFINITY,
  admit: nothing,
  verify: nothing,
  parse: nothing,
  judge: nothing,
  waiting: { limitMs: Number.POSITIVE_INFINITY, isInBackground: false },
  acknowledge: nothing,
  present: nothing,
  start: async () => null,
};
