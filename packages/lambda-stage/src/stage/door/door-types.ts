import type { ResolvedTemplate } from './template.ts';

/**
 * Services behind the door, by their name in a signature's scope. The door implements SSM, Secrets Manager, STS and S3 itself;
 * `execute-api` is the gateway, which verifies requests and calls {@link Door.admit} itself.
 */
type BackendService =
  | 'dynamodb'
  | 'lambda'
  | 'scheduler'
  | 'events'
  | 'sqs'
  | 'logs'
  | 'monitoring' // CloudWatch
  | 'servicequotas'
  | 'xray'
  | 'cloudformation'
  | 'execute-api';

/** An IAM policy, with a value in place of each intrinsic function. */
export interface PolicyDocument {
  readonly Version?: string;
  readonly Statement: PolicyStatement | readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action?: string | readonly string[];
  readonly NotAction?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly NotResource?: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, unknown>>;
}

export interface DoorOptions {
  readonly template: ResolvedTemplate;
  /**
   * Origins of plain HTTP: `http://127.0.0.1:PORT`. A service without one responds with 503 to allowed requests. The door forwards a request
   * unchanged, with the header `x-stage-principal`: the ARN of the caller.
   */
  readonly backends: Readonly<Partial<Record<BackendService, string>>>;
  /** Users in addition to the template's roles, by name, with their policies: operator, author, deployer. */
  readonly users?: Readonly<Record<string, readonly PolicyDocument[]>>;
  /** Buckets in addition to those of the template. */
  readonly buckets?: readonly string[];
  /** The door's clock, in milliseconds since the epoch; tests can shift it. */
  readonly now?: () => number;
  /** Called with each refusal when it is recorded. */
  readonly onRefusal?: (refusal: Refusal) => void;
}

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The session token; undefined for users, whose keys are not temporary. */
  readonly sessionToken?: string;
}

/** An authorisation check without a signed request. */
export interface Question {
  /** The logical id or the ARN of a role, the name of a user, or a service such as `events.amazonaws.com`. */
  readonly principal: string;
  /** The action, such as `sqs:SendMessage`. */
  readonly action: string;
  /** An ARN, or `*` for an action that takes none. */
  readonly resource: string;
  /** Values of condition keys, such as `aws:SourceArn`. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

export interface Decision {
  readonly allowed: boolean;
  /** Human-readable: which statement decided, or that none did. */
  readonly reason: string;
}

/** A refused request: its signature is wrong, or no policy allows it. */
export interface Refusal {
  /** ARN of the caller; `anonymous` for a request that has no valid signature. */
  readonly principal: string;
  /** The action; null when the request was refused before its action was known. */
  readonly action: string | null;
  readonly resource: string | null;
  readonly reason: string;
}

/** One action and one resource of an allowing statement, and whether it was the reason a request was allowed. */
export interface GrantUse {
  /** Logical id of a role or a managed policy, or the name of a user. */
  readonly holder: string;
  /** The action as in the statement, including patterns. */
  readonly action: string;
  readonly resource: string;
  readonly used: boolean;
}

/** A request to an HTTP API route with IAM authorization. */
interface SignedRequest {
  readonly method: string;
  /** Path and query, as received. */
  readonly url: string;
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

type Admission =
  | {
      readonly allowed: true;
      readonly callerArn: string;
      readonly accessKeyId: string;
      readonly account: string;
    }
  /** The gateway's response: always 403, with this message. */
  | { readonly allowed: false; readonly message: string };

/**
 * The door of a stage: a proxy in front of its services that verifies and authorises requests, and refuses what AWS
 * would refuse.
 */
export interface Door {
  readonly port: number;
  /** The certificate authority of the door's certificates, as PEM. */
  readonly caFile: string;
  /** Flags for `node` that redirect a process's connections to `*.amazonaws.com:443` to the door. */
  readonly nodeFlags: readonly string[];
  /**
   * Keys of a user, or of a new session of a role, as Lambda gives them to a function.
   *
   * @param principal - the logical id or the ARN of a role, or the name of a user
   * @param sessionName - name of the role's session, which is the function's name
   * @throws Error for a role or user that does not exist, and for a role that does not trust `lambda.amazonaws.com`
   */
  credentialsOf(principal: string, sessionName?: string): Promise<Keys>;
  /** Decides as for a request and records it. For actions of services themselves: dead letters, mappings, invocations. */
  authorize(question: Question): Promise<Decision>;
  /**
   * Whether a service may assume a role, according to the role's trust policy.
   *
   * @param service - such as `scheduler.amazonaws.com`
   * @param role - logical id or ARN
   */
  mayAssume(service: string, role: string, context?: Question['context']): Promise<Decision>;
  /** Verifies a request to the HTTP API and checks `execute-api:Invoke`. */
  admit(request: SignedRequest): Promise<Admission>;
  grantUses(): readonly GrantUse[];
  refusals(): readonly Refusal[];
  stop(): Promise<void>;
}
