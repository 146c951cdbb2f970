import type { ResolvedTemplate } from './template.ts';

/**
 * Services behind the door, by the name that a signature's scope gives them. SSM, Secrets Manager, STS and S3 are the door's own;
 * `execute-api` is the gateway, which verifies and asks {@link Door.admit} itself.
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
   * Origins of plain HTTP: `http://127.0.0.1:PORT`. A service without one answers 503 to what IAM allows. The door sends a request on
   * as it was, with the header `x-stage-principal`: the ARN of the caller.
   */
  readonly backends: Readonly<Partial<Record<BackendService, string>>>;
  /** Users beside the template's roles, by name, with their policies: operator, author, deployer. */
  readonly users?: Readonly<Record<string, readonly PolicyDocument[]>>;
  /** Beside those of the template. */
  readonly buckets?: readonly string[];
  /** The door's clock, in milliseconds since the epoch. It can be shifted by tests. */
  readonly now?: () => number;
  /** Takes each refusal, as it is recorded. */
  readonly onRefusal?: (refusal: Refusal) => void;
}

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Undefined for users, whose keys are not temporary. */
  readonly sessionToken?: string;
}

/** A question of authorisation that does not come as a signed request. */
export interface Question {
  /** The logical id or the ARN of a role, the name of a user, or a service such as `events.amazonaws.com`. */
  readonly principal: string;
  /** `sqs:SendMessage` */
  readonly action: string;
  /** An ARN, or `*` for an action that takes none. */
  readonly resource: string;
  /** Such as `aws:SourceArn`. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

export interface Decision {
  readonly allowed: boolean;
  /** For people: which statement has decided, or that none has. */
  readonly reason: string;
}

/** What was refused: a signature that is wrong, or what no policy allows. */
export interface Refusal {
  /** ARN of the caller; `anonymous` for a request that has no valid signature. */
  readonly principal: string;
  /** Null when the request was refused before its action was known. */
  readonly action: string | null;
  readonly resource: string | null;
  readonly reason: string;
}

/** One action and one resource of an allowing statement, and whether it was the reason that a request was allowed. */
export interface GrantUse {
  /** Logical id of a role or a managed policy, or the name of a user. */
  readonly holder: string;
  /** As the statement has them, patterns included. */
  readonly action: string;
  readonly resource: string;
  readonly used: boolean;
}

/** A request to a route of the HTTP API that asks for IAM. */
interface SignedRequest {
  readonly method: string;
  /** Path and query, as received. */
  readonly url: string;
  /** Lower-case names. */
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
  /** What the gateway answers: always 403, with this message. */
  | { readonly allowed: false; readonly message: string };

/** A door in front of the services of a stage: it refuses what AWS would refuse. */
export interface Door {
  readonly port: number;
  /** Of the authority that has signed the door's certificates, as PEM. */
  readonly caFile: string;
  /** Flags for `node`, with which a process finds the door at each host of AWS: connections to `*.amazonaws.com:443` go there. */
  readonly nodeFlags: readonly string[];
  /**
   * Keys of a user, or of a new session of a role, as Lambda gives them to a function.
   *
   * @param principal - the logical id or the ARN of a role, or the name of a user
   * @param sessionName - of the role's session: the name of the function
   * @throws Error for a role or user that is not there, and for a role that does not trust `lambda.amazonaws.com`
   */
  credentialsOf(principal: string, sessionName?: string): Promise<Keys>;
  /** Decides as for a request, and records it. For what services do themselves: dead letters, mappings, invocations. */
  authorize(question: Question): Promise<Decision>;
  /**
   * Whether a service may act with a role: the role's trust policy is asked.
   *
   * @param service - such as `scheduler.amazonaws.com`
   * @param role - logical id or ARN
   */
  mayAssume(service: string, role: string, context?: Question['context']): Promise<Decision>;
  /** Verifies a request to the HTTP API and asks for `execute-api:Invoke`. */
  admit(request: SignedRequest): Promise<Admission>;
  grantUses(): readonly GrantUse[];
  refusals(): readonly Refusal[];
  stop(): Promise<void>;
}
